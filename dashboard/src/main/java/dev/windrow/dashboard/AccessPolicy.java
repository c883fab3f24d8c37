package dev.windrow.dashboard;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Decides what the sender of a request may do. The application writes it on top of its own login: there is no default. Called once for each request,
 * on the thread of the request, before anything is read. Must be safe for use by many threads.
 *
 * <pre>{@code
 * AccessPolicy policy = request -> request.getUserPrincipal() == null
 *         ? Access.anonymous()
 *         : Access.of(request.getUserPrincipal().getName(), request.isUserInRole("ops") ? Role.OPERATOR : Role.VIEWER);
 * }</pre>
 */
@FunctionalInterface
public interface AccessPolicy {
    /** Returns the access of the sender; {@link Access#anonymous} if the sender is not known. An exception refuses the request with status 500. */
    Access of(HttpServletRequest request);
}
