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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Claims jobs for a worker: in batches for its free slots, and some more in advance while handlers are short.
 *
 * <p>A slot that has few ready jobs left claims by itself. When all slots are idle, the dispatcher claims, which is a
 * separate loop. It claims on the store's hints, when a scheduled job is due, and by a slow poll. Each group of queues
 * has at most one claim in flight. The claim shares a transaction with the other commands of the store.
 */
public final class Claimer {
    private static final int MAX_CLAIM = 1000;

    private static final Logger log = SafeLogger.of(Claimer.class);

    /** The receiver of claimed jobs. Called on a thread of the store. */
    interface Delivery {
        /** Accepts all of the jobs, or fails and accepts none. */
        void deliver(List<ClaimedJob> jobs, Group group);

        /** Notifies that a claim has ended, after its jobs were delivered. */
        void answered();

        /** True if the slots have taken every delivered job. */
        boolean isDry();
    }

    /**
     * The time between two checks of the wall clock while a job is scheduled. The process is not notified when the
     * clock is set.
     */
    private static final long CLOCK_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Settings settings;
    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final RunTimes runTimes;
    private final Delivery delivery;
    private final Loop dispatcher;
    private final List<Share> shares;
    private final List<Group> groups;
    /** The groups by queue and type. */
    private final Map<String, Map<String, Group>> byLane = new HashMap<>();

    private final ReentrantLock reserving = new ReentrantLock();
    private final int slots;
    private final long pollNanos;

    /**
     * The group at which the next search for work begins. It rotates, so that no group waits forever behind another.
     */
    private final AtomicInteger turn = new AtomicInteger();

    private volatile boolean begun;
    private volatile boolean open = true;
    /** A due time from a hint of the store, by the wall clock; {@link Long#MAX_VALUE} if none is known. */
    private volatile long hintedDueMillis = Long.MAX_VALUE;

    Claimer(Settings settings, EngineContext context, RunTimes runTimes, Delivery delivery) {
        this.settings = settings;
        this.store = context.store();
        this.time = context.time();
        this.listeners = context.listeners();
        this.runTimes = runTimes;
        this.delivery = delivery;
        this.slots = settings.concurrency();
        this.pollNanos = settings.poll().toNanos();
        this.shares = shares(settings);
        this.groups = groups(settings, shares, time.nanoTime() - pollNanos);
        groups.forEach(group -> group.queues.forEach(queue -> group.share.types.forEach(
                type -> byLane.computeIfAbsent(queue, key -> new HashMap<>()).put(type, group))));
        this.dispatcher = new Loop("windrow-dispatch-" + settings.name(), time, this::round);
    }

    /**
     * The jobs that occupy the slots or wait for them, and the jobs that are being claimed: those of all handlers that
     * take one job in each call, or those of one batch handler.
     */
    static final class Share {
        private final Set<String> types;
        private final int jobsPerSlot;
        private final AtomicInteger busy = new AtomicInteger();
        /** The calls of a batch handler that occupy a slot, which may have few jobs or none that has not ended. */
        private final AtomicInteger calls = new AtomicInteger();

        Share(Set<String> types, int jobsPerSlot) {
            this.types = types;
            this.jobsPerSlot = jobsPerSlot;
        }

        /** Returns how many slots the jobs occupy, and need if each waiting batch is full. */
        int slots() {
            return Math.max(calls.get(), (busy.get() + jobsPerSlot - 1) / jobsPerSlot);
        }
    }

    private static List<Share> shares(Settings settings) {
        Set<String> single = new LinkedHashSet<>();
        Map<Registration<?, ?>, Set<String>> batched = new LinkedHashMap<>();
        settings.registrations().forEach((type, registration) -> {
            if (registration instanceof Registration.OfBatch<?, ?>) {
                batched.computeIfAbsent(registration, key -> new LinkedHashSet<>())
                        .add(type);
            } else {
                single.add(type);
            }
        });
        List<Share> shares = new ArrayList<>();
        if (!single.isEmpty()) {
            shares.add(new Share(Set.copyOf(single), 1));
        }
        batched.forEach((registration, types) ->
                shares.add(new Share(Set.copyOf(types), ((Registration.OfBatch<?, ?>) registration).max())));
        return List.copyOf(shares);
    }

    /**
     * The queues and types of one claim: of each share all queues without a limit together, and each queue with a limit
     * alone.
     */
    public static final class Group {
        private final Set<String> queues;
        private final Share share;
        private final int limit;
        /** The jobs of these queues. A queue with a limit has one number for all shares. */
        private final AtomicInteger busy;

        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicInteger hints = new AtomicInteger();
        /** True if the last claim found fewer jobs than it requested, and no hint came since. */
        private volatile boolean drained;
        // Written by the thread that has a claim in flight.
        private volatile int failures;
        private volatile String failure = "";
        private volatile long answeredNanos;
        private volatile long notBeforeNanos;
        private volatile long lastClaimNanos;
        /**
         * The time of the next claim according to the last one, by the wall clock: a job is due, or a rate limit
         * permits one to start. The result of another group's claim does not change it.
         */
        private volatile long nextDueMillis = Long.MAX_VALUE;

        Group(Set<String> queues, Share share, int limit, AtomicInteger busy, long lastClaimNanos) {
            this.queues = queues;
            this.share = share;
            this.limit = limit;
            this.busy = busy;
            this.lastClaimNanos = lastClaimNanos;
            this.answeredNanos = lastClaimNanos;
        }
    }

    private static List<Group> groups(Settings settings, List<Share> shares, long lastClaimNanos) {
        Set<String> unlimited = new LinkedHashSet<>();
        List<Group> groups = new ArrayList<>();
        settings.queues().forEach((queue, limit) -> {
            if (limit == Settings.UNLIMITED) {
                unlimited.add(queue);
            } else {
                AtomicInteger busy = new AtomicInteger();
                shares.forEach(share -> groups.add(new Group(Set.of(queue), share, limit, busy, lastClaimNanos)));
            }
        });
        if (!unlimited.isEmpty()) {
            shares.forEach(share -> groups.add(
                    0,
                    new Group(Set.copyOf(unlimited), share, Settings.UNLIMITED, new AtomicInteger(), lastClaimNanos)));
        }
        return List.copyOf(groups);
    }

    private @Nullable Group group(String queue, String type) {
        Map<String, Group> byType = byLane.get(queue);
        return byType == null ? null : byType.get(type);
    }

    /** Returns the number of the calls of a batch handler that occupy slots, for its {@link Gathering} to count. */
    AtomicInteger calls(Registration.OfBatch<?, ?> registration) {
        return shares.stream()
                .filter(share -> share.types.contains(registration.type().name()))
                .findFirst()
                .orElseThrow()
                .calls;
    }

    /** Starts the loop; it claims nothing before {@link #begin}. */
    void start() {
        dispatcher.start();
    }

    /** Begins to claim: the worker is in the registry. */
    void begin() {
        begun = true;
        dispatcher.signal();
    }

    /**
     * Returns a claim for all free slots, for the transaction that makes jobs of this lane ready. Null if no slot is
     * free, or if a claim is in flight, which will find the jobs. Called on a thread of the store.
     */
    @Nullable WaitingClaim waitingClaim(String queue, String type) {
        Group group = group(queue, type);
        if (!begun || group == null) {
            return null;
        }
        if (!group.drained && 2 * room(group) < capacity(group.share)) {
            // Other jobs wait before these, and the slots will claim a batch of them soon.
            return null;
        }
        // As in claim(): closing and newly free slots are checked after the flag was taken.
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

    /** Handles a hint of the store that work may exist. Called on a thread of the store. */
    void hint(String queue, String type) {
        Group group = group(queue, type);
        if (group == null) {
            return;
        }
        group.hints.incrementAndGet();
        group.drained = false;
        if (open && !group.underWay.get() && room(group) > 0) {
            dispatcher.signal();
        }
    }

    /** Handles a hint of the store that a job is due at this time, perhaps earlier than the known time. */
    void due(long atMillis) {
        // A race with the result of a claim may lose the earlier time. The slow poll finds it again.
        if (atMillis < nextDueMillis()) {
            hintedDueMillis = atMillis;
            dispatcher.signal();
        }
    }

    /** Frees the slot of a job. */
    void roomFreed(Group group) {
        group.busy.decrementAndGet();
        group.share.busy.decrementAndGet();
    }

    /**
     * Claims for each group that has free slots and may have work. Never called on a thread of the store, because it may
     * have to wait there.
     */
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
        // No other thread claims for slots that become free while this thread has the flag. So this checks again after
        // the flag was cleared.
        while (begun && open && room(group) > 0 && group.underWay.compareAndSet(false, true)) {
            // Closing is written before any thread asks if a claim is in flight. So it is checked again after the flag
            // was taken.
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

    /**
     * Returns how many jobs a share may have: those of the slots that no other share uses. While handlers are short, a
     * share has one slot in any case, since jobs that were claimed in advance could use all slots forever. Batches
     * could do that too, because they fill up while they run.
     */
    private int capacity(Share share) {
        int ahead = runTimes.ahead();
        int free = slots + (share.jobsPerSlot == 1 ? ahead : 0);
        for (Share other : shares) {
            free -= other == share ? 0 : other.slots();
        }
        return Math.max(free, share.jobsPerSlot == 1 || ahead > 0 ? 1 : 0) * share.jobsPerSlot;
    }

    private int room(Group group) {
        int free = capacity(group.share) - group.share.busy.get();
        return Math.min(MAX_CLAIM, Math.min(free, group.limit - group.busy.get()));
    }

    /** Reserves the free slots of a group. The lock prevents two shares from taking the same slot, or the same place of a limited queue. */
    private int reserve(Group group) {
        reserving.lock();
        try {
            int wanted = Math.max(0, room(group));
            group.share.busy.addAndGet(wanted);
            group.busy.addAndGet(wanted);
            return wanted;
        } finally {
            reserving.unlock();
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

    /** Frees the reserved slots of a claim that was not sent, because it has no result that would do so. */
    private void giveBackUnless(boolean sent, Group group, int wanted) {
        if (!sent) {
            giveBack(group, wanted);
            group.underWay.set(false);
        }
    }

    private Claim request(Group group, int wanted) {
        group.lastClaimNanos = time.nanoTime();
        return new Claim(
                /* worker= */ settings.id(),
                /* queues= */ group.queues,
                /* types= */ group.share.types,
                /* limit= */ wanted,
                /* leaseMillis= */ settings.lease().toMillis(),
                /* minPriority= */ settings.minPriority());
    }

    /**
     * Handles the result of a claim when it arrives.
     *
     * @param hints the number of hints before the claim was sent
     */
    private void await(Group group, int wanted, int hints, CompletableFuture<Claimed> answer) {
        Answers.then(answer, (claimed, failure) -> {
            boolean lookAgain = true;
            try {
                lookAgain = claimed != null
                        ? answered(group, wanted, hints, claimed)
                        : failed(group, wanted, Answers.failure(failure, "claiming"));
            } finally {
                group.underWay.set(false);
                // Slots that ran out of jobs during this claim could not claim, and do not check again by themselves.
                boolean unheard = !group.drained && room(group) > 0 && delivery.isDry();
                delivery.answered();
                if (open && (lookAgain || unheard)) {
                    dispatcher.signal();
                }
            }
        });
    }

    /** Handles the result of a claim, on a thread of the store; returns true if the dispatcher should check again. */
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
                // For example, memory is exhausted. No slot will run these jobs, and their leases run out. The slots
                // that they occupy must not be lost.
                giveBack(group, jobs.size());
            }
        }
    }

    /** Handles a failed claim, on a thread of the store; returns true if the dispatcher should check again. */
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
            group.share.busy.addAndGet(-count);
        }
    }

    /** Runs a round of the dispatcher. */
    private long round() {
        if (!begun || !open) {
            return Loop.UNTIL_SIGNALLED;
        }
        boolean due = untilDue() <= 0;
        if (due) {
            // The result of the claim contains the next due time.
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
            // If a time has passed without a claim, no slot is free. The slots claim as soon as one is.
            wait = sooner(wait, group.lastClaimNanos + pollNanos - now);
            if (group.failures > 0) {
                wait = sooner(wait, group.notBeforeNanos - now);
            }
        }
        return wait;
    }

    /**
     * Returns the time until the next due time or the next check of the wall clock. The wall clock may be set, or
     * continue during a suspend.
     */
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

    /** Stops claiming. A claim in flight is still delivered. */
    void close() {
        open = false;
    }

    /** True if no claim is in flight. */
    boolean isQuiet() {
        for (Group group : groups) {
            if (group.underWay.get()) {
                return false;
            }
        }
        return true;
    }

    /** True if the last claim from each queue found fewer jobs than it requested, and no hint came since. */
    boolean hasFoundNothing() {
        for (Group group : groups) {
            if (!group.drained || group.underWay.get()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the health of the dispatcher and of claiming. */
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
