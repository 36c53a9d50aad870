import {
  type AdditionResult,
  type Bucket,
  type CounterBucket,
  type CounterRange,
  type Counters,
  checkAddition,
  type FlushId,
  RECORDERS_MAX,
  type Series,
} from '../counters.ts';
import type { ConfirmedSession } from './confirmed-session.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { type Reply, script } from './session.ts';

/** The approximate number of fields that one HSCAN of a bucket returns. */
const SCAN_FIELDS = 512;

/**
 * Adds to a bucket, unless the recorder has already made this addition or a later one. Every check comes before the first write.
 *
 * KEYS counts, state of the bucket, starts of the series' buckets. ARGV 1 recorder, 2 number, 3 start, 4 most names, 5 most bytes of them, 6 most
 * recorders, 7 how long all is kept in ms, 8 most buckets, 9 how numbers fold, then the deltas as name, number. Answers whether it was added,
 * how many names did not fit, whether the bucket had no addition of the recorder before, and the starts of the buckets above the limit.
 */
const ADD = script(`
local field, summed = 'by ' .. ARGV[1], ARGV[9] ~= 'max'
local s = redis.call('HMGET', KEYS[2], field, 'bytes', 'dropped', 'recorders')
if summed and s[1] and tonumber(s[1]) >= tonumber(ARGV[2]) then return {0, 0, 0} end
local bytes, dropped, recorders = tonumber(s[2] or '0'), 0, tonumber(s[4] or '0')
local most = 9007199254740991
if summed and not s[1] and recorders >= tonumber(ARGV[6]) then
  dropped = (#ARGV - 9) / 2
else
  if summed and not s[1] then recorders = recorders + 1 end
  local names = redis.call('HLEN', KEYS[1])
  for i = 10, #ARGV, 2 do
    local name, delta = ARGV[i], tonumber(ARGV[i + 1])
    local count = redis.call('HGET', KEYS[1], name)
    if not count and (names >= tonumber(ARGV[4]) or bytes + #name > tonumber(ARGV[5])) then
      dropped = dropped + 1
    else
      if not count then
        names, bytes = names + 1, bytes + #name
      end
      local sum = delta
      if count and not summed then
        sum = math.max(tonumber(count), delta)
      elseif count then
        sum = math.max(-most, math.min(most, tonumber(count) + delta))
      end
      redis.call('HSET', KEYS[1], name, string.format('%.0f', sum))
    end
  end
  if summed then redis.call('HSET', KEYS[2], field, ARGV[2]) end
end
redis.call('HSET', KEYS[2], 'bytes', bytes, 'recorders', recorders, 'dropped', string.format('%.0f', tonumber(s[3] or '0') + dropped))
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[3])
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end
local answer = {1, dropped, summed and not s[1] and 1 or 0}
for _, start in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1 - tonumber(ARGV[8]))) do answer[#answer + 1] = start end
return answer
`);

/**
 * Counters in the Redis of the log, on its connection. They are not part of the history of the log: a refill does not restore them, and additions do
 * not depend on the history.
 */
export class RedisCounters implements Counters {
  readonly #history: History;
  readonly #keys: Keys;

  constructor(history: History, keys: Keys) {
    this.#history = history;
    this.#keys = keys;
  }

  add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<AdditionResult> {
    checkAddition(bucket, deltas, flush);
    const { series, startMs } = bucket;
    const lifetimeMs = series.spanMs * (series.bucketsMax + 1);
    const limits = [series.namesMax, series.nameBytesMax, RECORDERS_MAX, lifetimeMs, series.bucketsMax];
    const args = [flush.recorder, flush.number, startMs, ...limits, series.fold ?? 'sum', ...[...deltas].flat()];
    const keys = [...this.#bucketKeys(series, startMs), this.#keys.counterStarts(series.name)];
    return this.#history.attempt('add to counters', async (confirmedSession) => {
      const [isNew, dropped, isFirst, ...excess] = (await confirmedSession.session.run(ADD, keys, args)) as Reply[];
      await this.#drop(confirmedSession, series, excess.map(Number));
      return { isNew: isNew === 1, dropped: Number(dropped), isFirst: isFirst === 1 };
    });
  }

  async *read({ series, fromMs, toMs }: CounterRange): AsyncGenerator<CounterBucket, void, void> {
    const starts = await this.#history.attempt('read counters', async ({ session }) =>
      session.command('ZRANGEBYSCORE', this.#keys.counterStarts(series.name), fromMs, `(${toMs}`),
    );
    for (const start of starts as Reply[]) yield await this.#readBucket(series, Number(String(start)));
  }

  async #readBucket(series: Series, startMs: number): Promise<CounterBucket> {
    const [countsKey, stateKey] = this.#bucketKeys(series, startMs);
    const counts = new Map<string, number>();
    let cursor = '0';
    let dropped = 0;
    do {
      await this.#history.attempt('read counters', async ({ session }) => {
        const [next, fields] = (await session.command('HSCAN', countsKey, cursor, 'COUNT', SCAN_FIELDS)) as Reply[];
        if (cursor === '0') dropped = Number(await session.command('HGET', stateKey, 'dropped'));
        const pairs = fields as Reply[];
        for (let index = 0; index < pairs.length; index += 2)
          counts.set(String(pairs[index]), Number(pairs[index + 1]));
        cursor = String(next);
      });
    } while (cursor !== '0');
    return { startMs, counts, dropped };
  }

  async #drop({ session }: ConfirmedSession, series: Series, starts: readonly number[]): Promise<void> {
    for (const start of starts) {
      await session.command('UNLINK', ...this.#bucketKeys(series, start));
      await session.command('ZREM', this.#keys.counterStarts(series.name), start);
    }
  }

  #bucketKeys({ name }: Series, startMs: number): readonly [counts: string, state: string] {
    return [this.#keys.counts(name, startMs), this.#keys.countsState(name, startMs)];
  }
}
