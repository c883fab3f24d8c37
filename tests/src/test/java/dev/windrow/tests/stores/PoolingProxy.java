package dev.windrow.tests.stores;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between clients and a PostgreSQL server that pools transactions. Each transaction of a client gets another server connection than the one
 * before, if possible. Settings and LISTEN registrations of a connection belong to no client. The proxy delivers no notifications and supports no
 * prepared statements beyond a transaction, so clients set {@code prepareThreshold=0}.
 */
public final class PoolingProxy implements AutoCloseable {
    private static final int CONNECTIONS = 8;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;
    private static final int CANCEL_REQUEST = 80877102;

    private final int serverPort;
    private final ServerSocket door;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    // Guarded by lock.
    private final Deque<Server> idle = new ArrayDeque<>();
    private int made;
    private int moves;

    /** Starts a proxy for the server on this port of this machine. */
    public PoolingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        run("proxy-door", this::acceptAll);
    }

    /** Returns the URL that leads through the proxy to the database of this direct URL. */
    public String through(String url) {
        return url.replace(":" + serverPort + "/", ":" + door.getLocalPort() + "/") + "&prepareThreshold=0";
    }

    /** Returns the number of transactions that had another connection than the client's previous one. */
    public int moves() {
        lock.lock();
        try {
            return moves;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the answer of each idle server connection: the first column of the first row. */
    public List<String> ask(String sql) throws IOException, InterruptedException {
        List<Server> all = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        lock.lock();
        try {
            while (idle.size() < made) {
                if (!released.await(1, TimeUnit.MINUTES)) {
                    throw new IOException("the clients do not end their transactions");
                }
            }
            all.addAll(idle);
            idle.clear();
        } finally {
            lock.unlock();
        }
        for (Server server : all) {
            answers.add(server.ask(sql));
            release(server);
        }
        return answers;
    }

    /** A message of the protocol. Its length is that of the body plus that of the length field. */
    private static final class Message {
        private final byte type;
        private final byte[] body;

        Message(byte type, byte[] body) {
            this.type = type;
            this.body = body;
        }

        static Message read(DataInputStream in) throws IOException {
            byte type = in.readByte();
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            return new Message(type, body);
        }

        void write(DataOutputStream out) throws IOException {
            out.writeByte(type);
            out.writeInt(body.length + 4);
            out.write(body);
        }
    }

    /** A connection to the server. */
    private final class Server {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        /** The greeting that it sends to each client. */
        private final List<Message> greeting = new ArrayList<>();

        Server(byte[] startup) throws IOException {
            socket = open(new Socket(InetAddress.getLoopbackAddress(), serverPort));
            in = in(socket);
            out = out(socket);
            out.writeInt(startup.length + 4);
            out.write(startup);
            out.flush();
            Message message;
            do {
                message = Message.read(in);
                if (message.type == 'E') {
                    throw new IOException(new String(message.body, StandardCharsets.UTF_8));
                }
                greeting.add(message);
            } while (message.type != 'Z');
        }

        String ask(String sql) throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.write(sql.getBytes(StandardCharsets.UTF_8));
            body.write(0);
            new Message((byte) 'Q', body.toByteArray()).write(out);
            out.flush();
            String answer = "";
            while (true) {
                Message message = Message.read(in);
                if (message.type == 'D') {
                    // Two bytes with the number of columns, four with the length of the first column.
                    answer = new String(message.body, 6, message.body.length - 6, StandardCharsets.UTF_8);
                } else if (message.type == 'E') {
                    answer = new String(message.body, StandardCharsets.UTF_8);
                } else if (message.type == 'Z') {
                    return answer;
                }
            }
        }
    }

    private Socket open(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private static DataInputStream in(Socket socket) throws IOException {
        return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    private static DataOutputStream out(Socket socket) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void run(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // A client or the server has closed its connection.
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() throws IOException {
        while (true) {
            Socket client = open(door.accept());
            run("proxy-client", () -> {
                try (client) {
                    serve(in(client), out(client));
                } finally {
                    sockets.remove(client);
                }
            });
        }
    }

    private void serve(DataInputStream in, DataOutputStream out) throws IOException, InterruptedException {
        byte[] startup = greet(in, out);
        Server last = take(startup, null);
        // The first connection only provides the greeting of the server.
        for (Message message : last.greeting) {
            message.write(out);
        }
        out.flush();
        release(last);
        Server server = null;
        try {
            while (true) {
                Message message = Message.read(in);
                if (message.type == 'X') {
                    return;
                }
                if (server == null) {
                    server = take(startup, last);
                    last = server;
                }
                message.write(server.out);
                if (message.type == 'Q' || message.type == 'S') {
                    server.out.flush();
                    if (answer(server, out)) {
                        release(server);
                        server = null;
                    }
                }
            }
        } finally {
            if (server != null) {
                // The client has disconnected in the middle of a transaction.
                drop(server);
            }
        }
    }

    /** Answers the startup messages of a client. */
    private static byte[] greet(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            byte[] startup = new byte[in.readInt() - 4];
            in.readFully(startup);
            int code = new DataInputStream(new ByteArrayInputStream(startup)).readInt();
            if (code == CANCEL_REQUEST) {
                throw new EOFException("the proxy does not support cancel requests");
            }
            if (code != SSL_REQUEST && code != GSS_REQUEST) {
                return startup;
            }
            out.writeByte('N');
            out.flush();
        }
    }

    /** Passes the server's messages on, except notifications. Returns true if the connection is outside of a transaction. */
    private static boolean answer(Server server, DataOutputStream client) throws IOException {
        while (true) {
            Message message = Message.read(server.in);
            if (message.type != 'A') {
                message.write(client);
            }
            if (message.type == 'Z') {
                client.flush();
                return message.body[0] == 'I';
            }
        }
    }

    private Server take(byte[] startup, @Nullable Server last) throws IOException, InterruptedException {
        lock.lock();
        try {
            while (true) {
                for (Server server : idle) {
                    if (server != last) {
                        idle.remove(server);
                        moves += last == null ? 0 : 1;
                        return server;
                    }
                }
                if (made < CONNECTIONS) {
                    made++;
                    break;
                }
                if (!idle.isEmpty()) {
                    return idle.remove();
                }
                if (!released.await(1, TimeUnit.MINUTES)) {
                    throw new IOException("no connection has become free");
                }
            }
        } finally {
            lock.unlock();
        }
        boolean done = false;
        try {
            Server server = new Server(startup);
            done = true;
            return server;
        } finally {
            if (!done) {
                forget();
            }
        }
    }

    private void release(Server server) {
        lock.lock();
        try {
            idle.addLast(server);
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void drop(Server server) throws IOException {
        forget();
        sockets.remove(server.socket);
        server.socket.close();
    }

    private void forget() {
        lock.lock();
        try {
            made--;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
