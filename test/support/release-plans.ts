import { accepted } from './admin.ts';
import { ManualClock } from './manual-clock.ts';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';

export const DEFAULT = { projectId: 'default' };
const MINUTE_MS = 60_000;

export const rollout = (percent: number) => ({
  strategyName: 'flexibleRollout',
  parameters: { rollout: percent, stickiness: 'default' },
});

export const TEMPLATE = {
  name: 'Careful',
  description: 'A tenth first',
  milestones: [
    { name: 'Ten', strategies: [rollout(10)], transitionCondition: { intervalMinutes: 30 } },
    { name: 'Half', strategies: [rollout(50)], transitionCondition: { intervalMinutes: 60 } },
    { name: 'All', strategies: [rollout(100)] },
  ],
};

export const at = (featureName: string, environment = 'development') => ({ ...DEFAULT, featureName, environment });

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of answers
type Any = any;

/** A flag with a plan, and the path parameters of the plan. */
export interface Planned {
  readonly name: string;
  readonly plan: Any;
  readonly templateId: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A service whose time passes by hand, with flags that have release plans. */
export class PlanWorld {
  readonly service: TestService;
  readonly #clock: ManualClock;
  #names = 0;

  private constructor(service: TestService, clock: ManualClock) {
    this.service = service;
    this.#clock = clock;
  }

  static async start(options: Omit<TestServiceOptions, 'clock'> = {}): Promise<PlanWorld> {
    const clock = new ManualClock();
    return new PlanWorld(await startTestService({ ...options, clock }), clock);
  }

  newName(): string {
    return `released-${++this.#names}`;
  }

  async createTemplate(body: object = TEMPLATE): Promise<Any> {
    return (await accepted(this.service, 'createReleasePlanTemplate', { body })).body;
  }

  turn(position: 'On' | 'Off', name: string, environment?: string) {
    return accepted(this.service, `toggleFeatureEnvironment${position}`, { params: at(name, environment) });
  }

  async settingsOf(name: string, environment?: string): Promise<Any> {
    return (await accepted(this.service, 'getFeatureEnvironment', { params: at(name, environment) })).body;
  }

  async planOf(name: string, environment?: string): Promise<Any> {
    return (await this.settingsOf(name, environment)).releasePlans[0];
  }

  async newFlag(): Promise<string> {
    const name = this.newName();
    await accepted(this.service, 'createFeature', { params: DEFAULT, body: { name } });
    return name;
  }

  /** A new flag that is on in the environment. */
  async flagThatIsOn(environment?: string): Promise<string> {
    const name = await this.newFlag();
    await this.turn('On', name, environment);
    return name;
  }

  /** A new flag, on or off in the environment, with a plan of the template. */
  async planned({ on = true, template = TEMPLATE as object } = {}): Promise<Planned> {
    const name = await this.newFlag();
    if (on) await this.turn('On', name);
    const { id: templateId } = await this.createTemplate(template);
    const { body: plan } = await accepted(this.service, 'addReleasePlan', { params: at(name), body: { templateId } });
    return { name, plan, templateId, params: { ...at(name), planId: plan.id } };
  }

  /** The rollouts of the flag, as a poll of an SDK gets them; null if it is off. */
  async served(name: string): Promise<string[] | null> {
    const { features } = (await accepted(this.service, 'getAllClientFeatures')).body;
    const found = features.find((feature: Any) => feature.name === name);
    return found.enabled ? found.strategies.map(({ parameters }: Any) => parameters.rollout) : null;
  }

  /** The name of the active milestone. */
  async activeOf(name: string, environment?: string): Promise<string | undefined> {
    const plan = await this.planOf(name, environment);
    return plan?.milestones.find(({ id }: Any) => id === plan.activeMilestoneId)?.name;
  }

  start({ params, plan }: Planned, milestone: string) {
    return accepted(this.service, 'startMilestone', { params: { ...params, milestoneId: idOf(plan, milestone) } });
  }

  /** Lets minutes pass, with a check of the safeguards after each. */
  async advance(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed++) {
      await settled();
      this.#clock.advance(MINUTE_MS);
      await this.service.running.services.safeguardWatch.check();
    }
  }
}

/** The id of the milestone with this name. */
export const idOf = (plan: Any, name: string): string =>
  plan.milestones.find((milestone: Any) => milestone.name === name)?.id;

/** Lets the runner go to sleep, so that an advance wakes it. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
