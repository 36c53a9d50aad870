import { evaluateFlags, flagsClient, getDefinitions } from '@unleash/nextjs';
import { Browser } from './browser.jsx';

export const dynamic = 'force-dynamic';

/** The flag `shown` as the server evaluates it, and below it the clients in the browser. The query has the user. */
export default async function Page({ searchParams }) {
  const { user = '' } = await searchParams;
  const definitions = await getDefinitions({ fetchOptions: { cache: 'no-store' } });
  const { toggles } = evaluateFlags(definitions, { userId: user });
  const flags = flagsClient(toggles);
  const isOn = flags.isEnabled('shown');
  await flags.sendMetrics();
  return (
    <>
      <p id="next-server">{`${isOn} ${flags.getVariant('shown').name}`}</p>
      <Browser url={process.env.UNLEASH_FRONTEND_API_URL} token={process.env.UNLEASH_FRONTEND_API_TOKEN} user={user} />
    </>
  );
}
