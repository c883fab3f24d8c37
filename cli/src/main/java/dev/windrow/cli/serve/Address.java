package dev.windrow.cli.serve;

import dev.windrow.cli.terminal.Values;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address on which the server listens.
 *
 * @param host a host name or an address, as the user wrote it
 * @param port 0 for any free port
 * @param loopback true if only this machine reaches it
 */
record Address(String host, int port, boolean loopback) {
    private static final Pattern TEXT = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]):([0-9]{1,5})");

    static Address parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > 65_535) {
            throw Values.notAllowed("--listen", text, "ADDRESS:PORT, such as 127.0.0.1:8127 or [::1]:8127");
        }
        String host = parts.group(1);
        try {
            boolean loopback = InetAddress.getByName(host).isLoopbackAddress();
            return new Address(host, Integer.parseInt(parts.group(2)), loopback);
        } catch (UnknownHostException e) {
            throw Values.notAllowed("--listen", text, "an address of this machine; '%s' is not known".formatted(host));
        }
    }
}
