// plainjob on better-sqlite3, on the work of the Java comparison: node plainjob.mjs FULL|NORMAL [JOBS [ROUNDS]]
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { better, defineQueue, defineWorker } from 'plainjob';

const durability = process.argv[2] ?? 'FULL';
const jobs = Number(process.argv[3] ?? 30000);
const rounds = Number(process.argv[4] ?? 3);
if (!['FULL', 'NORMAL'].includes(durability) || !(jobs > 0) || !(rounds > 0)) {
  console.error('usage: node plainjob.mjs FULL|NORMAL [JOBS [ROUNDS]]');
  process.exit(2);
}

const quiet = { error: console.error, warn: console.error, info() {}, debug() {} };
const payload = (number) => `${number}`.padEnd(100, '.');

async function onNewFile(work) {
  const folder = mkdtempSync(join(tmpdir(), 'plainjob-'));
  const database = new Database(join(folder, 'jobs.db'));
  // It sets WAL itself, and leaves the rest to the user.
  const queue = defineQueue({ connection: better(database), logger: quiet, serializer: String });
  database.pragma(`synchronous = ${durability}`);
  try {
    return await work(queue);
  } finally {
    queue.close();
    rmSync(folder, { recursive: true });
  }
}

/** One at a time for a second. Calls are synchronous: more threads are more processes. */
function singles() {
  return onNewFile((queue) => {
    const start = performance.now();
    let done = 0;
    while (done < jobs && performance.now() - start < 1000) {
      queue.add('no-op', payload(done++));
    }
    const rate = (1000 * done) / (performance.now() - start);
    if (queue.countJobs() !== done) throw new Error('jobs were lost');
    return rate;
  });
}

function whole() {
  return onNewFile(async (queue) => {
    const start = performance.now();
    for (let first = 0; first < jobs; first += 1000) {
      const count = Math.min(1000, jobs - first);
      queue.addMany('no-op', Array.from({ length: count }, (_, i) => payload(first + i)));
    }
    const enqueued = performance.now() - start;
    const ran = new Set();
    let first = 0;
    const ended = new Promise((resolve, reject) => {
      const worker = defineWorker(
        'no-op',
        async (job) => {
          first ||= performance.now();
          ran.add(Number.parseInt(job.data, 10));
        },
        {
          queue,
          logger: quiet,
          onCompleted: () => {
            if (ran.size === jobs) {
              resolve(worker);
            }
          },
          onFailed: (job, error) => reject(new Error(error)),
        },
      );
      worker.start().catch(reject);
    });
    const worker = await ended;
    const drained = performance.now() - first;
    await worker.stop();
    if (queue.countJobs({ status: 2 }) !== jobs) throw new Error('jobs were lost');
    return { bulk: (1000 * jobs) / enqueued, drain: (1000 * jobs) / drained, whole: (1000 * jobs) / (enqueued + drained) };
  });
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const results = [];
for (let round = 0; round <= rounds; round++) {
  const result = { one: await singles(), ...(await whole()) };
  if (round > 0) results.push(result);
}
const figures = ['one', 'bulk', 'drain', 'whole'].map((key) => `${key} ${Math.round(median(results.map((r) => r[key])))}`);
console.log(`plainjob, WAL, ${durability}, ${jobs} jobs, jobs a second: ${figures.join(', ')}`);
