package dev.windrow.bench;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import javax.net.SocketFactory;

/**
 * The sockets of connections whose round trips are counted. A round trip is a read after a write. The driver of
 * PostgreSQL creates the factory by its name.
 */
public final class CountedSockets extends SocketFactory {
    private static final LongAdder ROUND_TRIPS = new LongAdder();

    /** Creates a factory. */
    public CountedSockets() {}

    /** Returns the round trips of all these sockets since the process has started. */
    static long roundTrips() {
        return ROUND_TRIPS.sum();
    }

    @Override
    public Socket createSocket() {
        return new Counted();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw connected();
    }

    private static UnsupportedOperationException connected() {
        return new UnsupportedOperationException("the driver connects its sockets itself");
    }

    private static final class Counted extends Socket {
        private volatile boolean written;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    reading();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    reading();
                    return in.read(bytes, offset, length);
                }
            };
        }

        private void reading() {
            if (written) {
                written = false;
                ROUND_TRIPS.increment();
            }
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int value) throws IOException {
                    written = true;
                    out.write(value);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    written = true;
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
