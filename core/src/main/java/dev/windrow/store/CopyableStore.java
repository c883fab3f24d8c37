package dev.windrow.store;

/** A store whose queue can be copied to another one, of whatever kind. */
public interface CopyableStore extends Store {
    /** Returns the place of its queue, for copies and moves. */
    CopyPlace place();
}
