import { datadog } from './datadog.ts';
import { newRelic } from './new-relic.ts';
import type { Provider } from './provider.ts';
import { slack } from './slack.ts';
import { slackApp } from './slack-app.ts';
import { teams, teamsWorkflow } from './teams.ts';
import { webhook } from './webhook.ts';

/** Every provider, in the order in which they are listed. */
export const PROVIDERS: readonly Provider[] = [webhook, slackApp, slack, teamsWorkflow, teams, datadog, newRelic];

export function providerOf(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
