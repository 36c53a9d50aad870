import { parseArgs } from 'node:util';
import { RECENT_BYTES_MAX } from '../../../src/engine/recent-commits.ts';
import { soak } from './soak.ts';
import { soakTable, verdictOn } from './verdict.ts';

/**
 * `npm run bench -- soak --minutes N [--redis] [--consoles]`: puts load on a service, prints its memory over time, and fails when the memory grew. With
 * `--consoles`, consoles follow the changes and read the index of flags; a run should then have some minutes, because more code gets warm.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    redis: { type: 'boolean', default: false },
    consoles: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 100_000)) {
  process.stderr.write(`--minutes must be a number of minutes, not "${values.minutes}"\n`);
  process.exit(1);
}
const title = `${minutes} minutes on ${values.redis ? 'Redis, two replicas' : 'the embedded store'}, Node ${process.version}`;
let tellAtS = 0;
const { samples, counts } = await soak({
  minutes,
  redis: values.redis,
  consoles: values.consoles,
  onSample({ atS, keptBytes, residentBytes }) {
    if (atS < tellAtS) return;
    tellAtS = atS + Math.max(2, minutes);
    process.stderr.write(
      `${atS.toFixed(0).padStart(6)} s: keeps ${(keptBytes / 1e6).toFixed(1)} MB, resident ${(residentBytes / 1e6).toFixed(1)} MB\n`,
    );
  },
});
// The newest commits are kept in memory with the state, and are dropped when another state replaces it.
const verdict = verdictOn(samples, values.redis ? RECENT_BYTES_MAX : 0);
process.stdout.write(`\n${soakTable(title, samples, verdict)}\nRounds: ${JSON.stringify(counts)}\n`);
if (!verdict.passed) process.exitCode = 1;
