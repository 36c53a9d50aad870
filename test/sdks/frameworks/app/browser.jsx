'use client';

import { UnleashWebProvider } from '@openfeature/unleash-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import * as next from '@unleash/nextjs/client';
import * as react from '@unleash/proxy-client-react';
import { useEffect, useState } from 'react';

/** Each client polls every second and reports under its own name. */
export function Browser({ url, token, user }) {
  const config = (appName) => ({
    ...{ url, clientKey: token, appName, refreshInterval: 1, metricsInterval: 1, metricsIntervalInitial: 1 },
    context: { userId: user },
  });
  return (
    <>
      <next.FlagProvider config={config('next-browser')}>
        <Shown id="next-browser" hooks={next} />
      </next.FlagProvider>
      <react.FlagProvider config={config('react')}>
        <Shown id="react" hooks={react} />
      </react.FlagProvider>
      <ShownByOpenFeature config={config('open-feature')} />
    </>
  );
}

function Shown({ id, hooks }) {
  const isOn = hooks.useFlag('shown');
  const variant = hooks.useVariant('shown');
  const { flagsReady } = hooks.useFlagsStatus();
  return <p id={id}>{flagsReady ? `${isOn} ${variant.name}` : 'not ready'}</p>;
}

/** Its provider gets the user as a part of its own configuration: it reads no targeting key. */
function ShownByOpenFeature({ config }) {
  const [text, setText] = useState('not ready');
  const [provider] = useState(() => new UnleashWebProvider(config));
  useEffect(() => {
    const client = OpenFeature.getClient();
    const read = () => {
      const isOn = client.getBooleanValue('shown', false);
      setText(`${isOn} ${client.getStringValue('shown', 'disabled')}`);
    };
    OpenFeature.setProviderAndWait(provider).then(read);
    client.addHandler(ProviderEvents.ConfigurationChanged, read);
    return () => client.removeHandler(ProviderEvents.ConfigurationChanged, read);
  }, [provider]);
  return <p id="open-feature">{text}</p>;
}
