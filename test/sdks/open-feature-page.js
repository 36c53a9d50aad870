// The page of an application: OpenFeature with OFREP's provider for browsers, with its default options.
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

const { flag, baseUrl, token } = Object.fromEntries(new URLSearchParams(location.search));
const client = OpenFeature.getClient();

function show() {
  document.body.textContent = `${flag} is ${client.getBooleanValue(flag, false) ? 'on' : 'off'}`;
  // For the measurement: when the page showed it.
  document.body.dataset.shownMs = String(Date.now());
}

client.addHandler(ProviderEvents.Ready, show);
client.addHandler(ProviderEvents.ConfigurationChanged, show);
OpenFeature.setProvider(new OFREPWebProvider({ baseUrl, headers: [['authorization', token]] }), { targetingKey: 'u' });
