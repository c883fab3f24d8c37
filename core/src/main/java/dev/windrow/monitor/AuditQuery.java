package dev.windrow.monitor;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;

/**
 * A listing of the entries of the audit that match a filter, newest first by their times. Made by {@link Monitor#audit}. Immutable.
 *
 * <p>Entries that are written between two pages neither repeat nor hide other entries. Each page reads one snapshot and blocks no writer.
 */
@CheckReturnValue
public interface AuditQuery {
    /**
     * Returns the query with this maximum number of entries of a page: 1 to 1000, default 50.
     *
     * @throws InvalidRequestException if the number is out of range
     */
    AuditQuery limit(int limit);

    /**
     * Returns the query for the page after this position.
     *
     * @param position {@link AuditPage#next} of another page. After an entry that does not exist any more the page is empty, because all older entries
     *     were deleted before it
     */
    AuditQuery after(long position);

    /** Reads the page. */
    AuditPage page();
}
