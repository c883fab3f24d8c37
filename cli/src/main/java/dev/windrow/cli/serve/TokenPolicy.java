package dev.windrow.cli.serve;

import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/** Lets the owner of a token do everything: {@code Authorization: Bearer TOKEN}. */
final class TokenPolicy implements AccessPolicy {
    private static final String BEARER = "bearer ";

    private final byte[] token;
    private final Access access;

    TokenPolicy(String token, String actor) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
        this.access = Access.of(actor, Role.ADMIN);
    }

    /** Returns a new token of 256 random bits. */
    static String newToken() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public Access of(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        boolean bearer = header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        // The comparison takes the same time wherever the first difference is.
        return bearer
                        && MessageDigest.isEqual(
                                token, header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8))
                ? access
                : Access.anonymous("Bearer realm=\"windrow\"");
    }
}
