import { Agent, request } from 'node:http';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { type Client, LIST, METRICS, METRICS_BODY, type Outcome, type Plan, pauseOf, sleep, Tally } from './outcome.ts';

type Ask = (url: string, isGet: boolean, token: string) => Promise<void>;

/** All callers at once. The first requests are spread over a second. */
async function each(plan: Plan, ask: Ask): Promise<Outcome> {
  const tally = new Tally();
  const caller = async (url: string, index: number) => {
    await sleep((1_000 * index) / plan.urls.length);
    for (let count = 0; count < plan.requests; count++) {
      if (count > 0) await sleep(pauseOf(plan));
      const isGet = (count + index) % 2 === 0;
      await tally.note(isGet, ask(url, isGet, plan.token));
    }
  };
  await Promise.all(plan.urls.map(caller));
  return tally;
}

const headersOf = (isGet: boolean, token: string) => ({
  authorization: token,
  ...(isGet ? {} : { 'content-type': 'application/json' }),
});

/** The `fetch` of Node. */
export const fetchClient: Client = (plan) =>
  each(plan, async (url, isGet, token) => {
    const headers = headersOf(isGet, token);
    const init = isGet ? { headers } : { method: 'POST', headers, body: METRICS_BODY };
    const answer = await fetch(url + (isGet ? LIST : METRICS), init);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
  });

/** `http.request` with an agent that keeps connections. */
export function agentClient(timeoutMs: number | undefined): Client {
  return async (plan) => {
    const agent = new Agent({ keepAlive: true, ...(timeoutMs !== undefined && { timeout: timeoutMs }) });
    const outcome = await each(plan, (url, isGet, token) => askWith(agent, url, isGet, token));
    agent.destroy();
    return outcome;
  };
}

export function askWith(agent: Agent, url: string, isGet: boolean, token: string): Promise<void> {
  const { promise, resolve, reject } = settled();
  const headers = { ...headersOf(isGet, token), ...(isGet ? {} : { 'content-length': METRICS_BODY.length }) };
  const asked = request(url + (isGet ? LIST : METRICS), { agent, headers, method: isGet ? 'GET' : 'POST' });
  asked.on('error', reject);
  asked.on('response', (answer) => {
    answer.resume();
    answer.on('error', reject);
    answer.on('end', () => {
      const { statusCode = 0 } = answer;
      if (statusCode < 300) resolve();
      else reject(new Error(`status ${statusCode}`));
    });
  });
  asked.end(isGet ? undefined : METRICS_BODY);
  return promise;
}

function settled() {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((done, failed) => {
    [resolve, reject] = [done, failed];
  });
  return { promise, resolve, reject };
}

/** Often enough that every report has something to send. */
const USE_EVERY_MS = 500;
const IN_PROGRESS_MS = 2_000;
/** A flag of `makeFlags`. */
const FLAG = 'flag-0';

/** Unleash's SDK as it is: half of the callers only poll, half only report. Each has one interval. */
export const unleashSdk: Client = async (plan) => {
  const tally = new Tally();
  const started: Unleash[] = [];
  const sdks = plan.urls.map((url, index) => {
    const polls = index % 2 === 0;
    const intervalMs = Math.round(pauseOf(plan));
    const sdk = new Unleash({
      url: `${url}/api`,
      appName: 'kept',
      customHeaders: { authorization: plan.token },
      refreshInterval: polls ? intervalMs : 0,
      metricsInterval: intervalMs,
      disableMetrics: polls,
      skipInstanceCountWarning: true,
      storageProvider: new InMemStorageProvider(),
    });
    sdk.on('error', (error) => tally.fail(polls, error));
    sdk.on('warn', (warning) => tally.fail(polls, new Error(String(warning))));
    for (const event of ['unchanged', 'changed', 'sent', 'registered']) sdk.on(event, () => tally.requests++);
    sdk.on('synchronized', () => started.push(sdk));
    return sdk;
  });
  const use = setInterval(() => {
    for (const sdk of started) sdk.isEnabled(FLAG);
  }, USE_EVERY_MS);
  await sleep((plan.requests - 1) * ((plan.pauseMinMs + plan.pauseMaxMs) / 2));
  clearInterval(use);
  for (const sdk of sdks) sdk.destroy();
  // The requests in progress get their answers.
  await sleep(IN_PROGRESS_MS);
  const { requests, failedGets, failedPosts, first } = tally;
  return { requests: requests + failedGets + failedPosts, failedGets, failedPosts, first };
};
