package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.WaitingClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps a worker supplied: claims for its free slots in batches, and a little ahead while handlers are short.
 *
 * <p>A slot that has little left claims by itself. The dispatcher, a loop of its own, does when all slots are idle: on
 * the store's hints, when a scheduled job is due, and by a slow poll. Each group of queues has one claim under way at
 * most, which rides with whatever else the store commits.
 */
public final class Claimer {
    private static final int MAX_CLAIM = 1000;

    private static final Logger log = SafeLogger.of(Claimer.class);

    /** Where claimed jobs go. Called on the store's thread. */
    interface Delivery {
        /** Takes all of them, or fails and has none of them. */
        void deliver(List<ClaimedJob> jobs, Group group);

        /** A claim is over: what it brought was delivered. */
        void answered();

        /** Whether every job that was delivered has been taken by a slot. */
        boolean isDry();
    }

    /** While a job is scheduled: how often the wall clock is looked at, which nobody is told of when it is set. */
    private static final long CLOCK_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Settings settings;
    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final RunTimes runTimes;
    private final Delivery delivery;
    private final Loop dispatcher;
    private final List<Group> groups;
    private final Map<String, Group> byQueue;
    private final Set<String> types;
    private final int slots;
    private final long pollNanos;

    /** Jobs that take up a slot or wait for one, and those that are being claimed. */
    private final AtomicInteger busy = new AtomicInteger();

    /** Where the next look for work begins, so that no group waits for ever behind another. */
    private final AtomicInteger turn = new AtomicInteger();

    private volatile boolean begun;
    private volatile boolean open = true;
    /** A due time that the store has hinted at, by the wall clock; {@link Long#MAX_VALUE} when there is none. */
    private volatile long hintedDueMillis = Long.MAX_VALUE;

    Claimer(Settings settings, EngineContext context, RunTimes runTimes, Delivery delivery) {
        this.settings = settings;
        this.store = context.store();
        this.time = context.time();
        this.listeners = context.listeners();
        this.runTimes = runTimes;
        this.delivery = delivery;
        this.types = settings.types();
        this.slots = settings.concurrency();
        this.pollNanos = settings.poll().toNanos();
        this.groups = groups(settings, time.nanoTime() - pollNanos);
        this.byQueue = new LinkedHashMap<>();
        groups.forEach(group -> group.queues.forEach(queue -> byQueue.put(queue, group)));
        this.dispatcher = new Loop("windrow-dispatch-" + settings.name(), time, this::round);
    }

    /** Queues that are claimed from together: all without a limit, and each with one. */
    public static final class Group {
        private final Set<String> queues;
        private final int limit;
        private final AtomicInteger busy = new AtomicInteger();
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicInteger hints = new AtomicInteger();
        /** The last claim found less than it asked for, and no hint came since. */
        private volatile boolean drained;
        // Written by the one who has a claim under way.
        private volatile int failures;
        private volatile String failure = "";
        private volatile long answeredNanos;
        private volatile long notBeforeNanos;
        private volatile long lastClaimNanos;
        /**
         * When its last claim said to look again: a job is due, or a rate lets one start; by the wall clock. Another group's answer
         * says nothing about it.
         */
        private volatile long nextDueMillis = Long.MAX_VALUE;

        Group(Set<String> queues, int limit, long lastClaimNanos) {
            this.queues = queues;
            this.limit = limit;
            this.lastClaimNanos = lastClaimNanos;
            this.answeredNanos = lastClaimNanos;
        }
    }

    private static List<Group> groups(Settings settings, long lastClaimNanos) {
        Set<String> unlimited = new LinkedHashSet<>();
        List<Group> groups = new ArrayList<>();
        settings.queues().forEach((queue, limit) -> {
            if (limit == Settings.UNLIMITED) {
                unlimited.add(queue);
            } else {
                groups.add(new Group(Set.of(queue), limit, lastClaimNanos));
            }
        });
        if (!unlimited.isEmpty()) {
            groups.add(0, new Group(Set.copyOf(unlimited), Settings.UNLIMITED, lastClaimNanos));
        }
        return List.copyOf(groups);
    }

    /** Starts its loop; it claims nothing before {@link #begin}. */
    void start() {
        dispatcher.start();
    }

    /** Its worker is in the registry: from now on it claims. */
    void begin() {
        begun = true;
        dispatcher.signal();
    }

    /**
     * A claim of all the room that there is, for the transaction that makes jobs of this lane ready; null if there is no
     * room, or a claim is under way, which will find them. Called on the store's thread.
     */
    @Nullable WaitingClaim waitingClaim(String queue, String type) {
        Group group = byQueue.get(queue);
        if (!begun || group == null || !types.contains(type)) {
            return null;
        }
        if (!group.drained && 2 * room(group) < slots + runTimes.ahead()) {
            // Others wait before them, and the slots will claim a batch of those soon.
            return null;
        }
        // As in claim(): closing, and room that appears, are looked at with the flag taken.
        while (open && !isPausing(group) && room(group) > 0 && group.underWay.compareAndSet(false, true)) {
            int wanted = open ? reserve(group) : 0;
            if (wanted > 0) {
                boolean sent = false;
                try {
                    WaitingClaim waitingClaim = new WaitingClaim(request(group, wanted), new CompletableFuture<>());
                    await(group, wanted, group.hints.get(), waitingClaim.answer());
                    sent = true;
                    return waitingClaim;
                } finally {
                    giveBackUnless(sent, group, wanted);
                }
            }
            group.underWay.set(false);
        }
        return null;
    }

    /** A hint of the store: there may be work. Called on the store's thread. */
    void hint(String queue, String type) {
        Group group = byQueue.get(queue);
        if (group == null || !types.contains(type)) {
            return;
        }
        group.hints.incrementAndGet();
        group.drained = false;
        if (open && !group.underWay.get() && room(group) > 0) {
            dispatcher.signal();
        }
    }

    /** A hint of the store: a job is due at this time, perhaps earlier than what was known. */
    void due(long atMillis) {
        // A race with the answer to a claim may lose the earlier time; the hint comes again with the slow poll.
        if (atMillis < nextDueMillis()) {
            hintedDueMillis = atMillis;
            dispatcher.signal();
        }
    }

    /** A job no longer takes up room. */
    void roomFreed(Group group) {
        group.busy.decrementAndGet();
        busy.decrementAndGet();
    }

    /** Claims where there is room and there may be work. Never called on the store's thread: it may have to wait there. */
    void claim() {
        int size = groups.size();
        int first = size == 1 ? 0 : Math.floorMod(turn.getAndIncrement(), size);
        for (int i = 0; i < size; i++) {
            Group group = groups.get((first + i) % size);
            if (!group.drained) {
                claim(group);
            }
        }
    }

    private void claim(Group group) {
        // Room that appears while the flag is taken is nobody else's to use: look again after giving it back.
        while (begun && open && room(group) > 0 && group.underWay.compareAndSet(false, true)) {
            // Closing is written before anybody asks whether a claim is under way: looked at again with the flag taken.
            int wanted = !open || isPausing(group) ? 0 : reserve(group);
            if (wanted > 0) {
                send(group, wanted);
                return;
            }
            group.underWay.set(false);
            if (isPausing(group)) {
                return;
            }
        }
    }

    private boolean isPausing(Group group) {
        return group.failures > 0 && time.nanoTime() - group.notBeforeNanos < 0;
    }

    private int room(Group group) {
        int capacity = slots + runTimes.ahead();
        return Math.min(MAX_CLAIM, Math.min(capacity - busy.get(), group.limit - group.busy.get()));
    }

    private int reserve(Group group) {
        while (true) {
            int taken = busy.get();
            int wanted = Math.min(room(group), MAX_CLAIM);
            if (wanted <= 0) {
                return 0;
            }
            if (busy.compareAndSet(taken, taken + wanted)) {
                group.busy.addAndGet(wanted);
                return wanted;
            }
        }
    }

    private void send(Group group, int wanted) {
        boolean sent = false;
        try {
            await(group, wanted, group.hints.get(), store.submit(request(group, wanted)));
            sent = true;
        } finally {
            giveBackUnless(sent, group, wanted);
        }
    }

    /** A claim that was not sent has no answer that would give back what was reserved. */
    private void giveBackUnless(boolean sent, Group group, int wanted) {
        if (!sent) {
            giveBack(group, wanted);
            group.underWay.set(false);
        }
    }

    private Claim request(Group group, int wanted) {
        group.lastClaimNanos = time.nanoTime();
        return new Claim(
                settings.id(), group.queues, types, wanted, settings.lease().toMillis());
    }

    /** @param hints how many hints there were before the claim */
    private void await(Group group, int wanted, int hints, CompletableFuture<Claimed> answer) {
        Answers.then(answer, (claimed, failure) -> {
            boolean lookAgain = true;
            try {
                lookAgain = claimed != null
                        ? answered(group, wanted, hints, claimed)
                        : failed(group, wanted, Answers.failure(failure, "claiming"));
            } finally {
                group.underWay.set(false);
                // Slots that ran dry while this claim was under way could not claim, and do not look again by
                // themselves.
                boolean unheard = !group.drained && room(group) > 0 && delivery.isDry();
                delivery.answered();
                if (open && (lookAgain || unheard)) {
                    dispatcher.signal();
                }
            }
        });
    }

    /** On the store's thread; returns whether the dispatcher should look again. */
    private boolean answered(Group group, int wanted, int hints, Claimed claimed) {
        List<ClaimedJob> jobs = claimed.jobs();
        giveBack(group, wanted - jobs.size());
        boolean delivered = jobs.isEmpty();
        try {
            group.answeredNanos = time.nanoTime();
            long took = group.answeredNanos - group.lastClaimNanos;
            listeners.tell(() -> new WindrowEvent.JobsClaimed(jobs.size(), Duration.ofNanos(Math.max(0, took))));
            boolean drained = jobs.size() < wanted && !claimed.more();
            group.drained = drained;
            boolean hinted = drained && group.hints.get() != hints;
            if (hinted) {
                group.drained = false;
            }
            if (group.failures > 0) {
                log.info("Worker {} can claim again after {} failures", settings.name(), group.failures);
                group.failures = 0;
            }
            Long due = claimed.nextDueMillis();
            long next = due == null ? Long.MAX_VALUE : due;
            boolean earlier = next < nextDueMillis();
            group.nextDueMillis = next;
            if (!delivered) {
                delivery.deliver(jobs, group);
                delivered = true;
            }
            return hinted || earlier;
        } finally {
            if (!delivered) {
                // An error of memory, say. No slot will run these jobs, and their leases run out; the room for them
                // must not be
                // lost.
                giveBack(group, jobs.size());
            }
        }
    }

    /** On the store's thread; returns whether the dispatcher should look again. */
    private boolean failed(Group group, int wanted, WindrowException failure) {
        giveBack(group, wanted);
        int failures = group.failures + 1;
        long now = time.nanoTime();
        if (open) {
            long took = now - group.lastClaimNanos;
            listeners.tell(() -> new WindrowEvent.ClaimFailed(Duration.ofNanos(Math.max(0, took))));
        }
        group.notBeforeNanos = now + Loop.pauseNanos(failures);
        group.failure = String.valueOf(failure.getMessage());
        group.failures = failures;
        group.drained = false;
        if (failures == 1 && open) {
            log.warn("Worker {} cannot claim and tries again: {}", settings.name(), failure.getMessage());
        }
        log.debug("Worker {} could not claim", settings.name(), failure);
        return true;
    }

    private void giveBack(Group group, int count) {
        if (count > 0) {
            group.busy.addAndGet(-count);
            busy.addAndGet(-count);
        }
    }

    /** A round of the dispatcher. */
    private long round() {
        if (!begun || !open) {
            return Loop.UNTIL_SIGNALLED;
        }
        boolean due = untilDue() <= 0;
        if (due) {
            // The answer to the claim says when the next one is due.
            forgetPassed();
        }
        for (Group group : groups) {
            if (due || time.nanoTime() - group.lastClaimNanos >= pollNanos) {
                group.drained = false;
            }
        }
        claim();
        long wait = Math.min(pollNanos, untilNextLook());
        long now = time.nanoTime();
        for (Group group : groups) {
            // A time that has passed without a claim means that there is no room: slots claim as soon as there is.
            wait = sooner(wait, group.lastClaimNanos + pollNanos - now);
            if (group.failures > 0) {
                wait = sooner(wait, group.notBeforeNanos - now);
            }
        }
        return wait;
    }

    /** Until the next due time, or until the wall clock is looked at again: it may be stepped, or run on through a suspend. */
    private long untilNextLook() {
        long nanos = untilDue();
        return nanos == Long.MAX_VALUE ? nanos : Math.min(CLOCK_LOOK_NANOS, Math.max(0, nanos));
    }

    private static long sooner(long wait, long other) {
        return other > 0 ? Math.min(wait, other) : wait;
    }

    private void forgetPassed() {
        long now = time.now().toEpochMilli();
        if (hintedDueMillis <= now) {
            hintedDueMillis = Long.MAX_VALUE;
        }
        for (Group group : groups) {
            if (group.nextDueMillis <= now) {
                group.nextDueMillis = Long.MAX_VALUE;
            }
        }
    }

    private long nextDueMillis() {
        long next = hintedDueMillis;
        for (Group group : groups) {
            next = Math.min(next, group.nextDueMillis);
        }
        return next;
    }

    private long untilDue() {
        long due = nextDueMillis();
        if (due == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long millis = due - time.now().toEpochMilli();
        return TimeUnit.MILLISECONDS.toNanos(Math.min(millis, TimeUnit.HOURS.toMillis(1)));
    }

    /** Claims no more. A claim under way is still delivered. */
    void close() {
        open = false;
    }

    /** Whether no claim is under way. */
    boolean isQuiet() {
        for (Group group : groups) {
            if (group.underWay.get()) {
                return false;
            }
        }
        return true;
    }

    /** Whether the last claim from each queue found less than it asked for, and no hint came since. */
    boolean hasFoundNothing() {
        for (Group group : groups) {
            if (!group.drained || group.underWay.get()) {
                return false;
            }
        }
        return true;
    }

    /** How the dispatcher is, and whether jobs can be claimed. */
    Health.Task task() {
        Health.Task task = dispatcher.task();
        for (Group group : groups) {
            if (task.isOk() && group.failures > 0) {
                task = new Health.Task(
                        task.name(),
                        "could not claim from %s %d times in a row: %s"
                                .formatted(group.queues, group.failures, group.failure),
                        Duration.ofNanos(Math.max(0, time.nanoTime() - group.answeredNanos)));
            }
        }
        return task;
    }

    /** Ends the dispatcher. */
    void end() {
        close();
        dispatcher.stop();
    }
}
