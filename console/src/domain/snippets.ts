/** Code that can be pasted, with the address and a token of this Burgee. */
interface Snippet {
  readonly id: string;
  readonly language: string;
  readonly kind: 'backend' | 'frontend';
  readonly install: string;
  readonly code: string;
}

/** Without the characters that end a text, or have another meaning in it, in one of the languages. */
const asLiteral = (text: string) => text.replace(/['"`\\$#{}%<>&]/g, '').trim();

/** `url` has no slash at the end and no `/api`. */
export function snippets(values: { url: string; token: string; flag: string; appName?: string }): Snippet[] {
  const { url, token, flag, appName = '' } = values;
  const app = asLiteral(appName) || 'my-app';
  const api = `${url}/api`;
  return [
    {
      id: 'node',
      language: 'Node.js',
      kind: 'backend',
      install: 'npm install unleash-client',
      code: `import { initialize } from 'unleash-client';

const unleash = initialize({
  url: '${api}',
  appName: '${app}',
  customHeaders: { Authorization: '${token}' },
});
unleash.on('synchronized', () => console.log(unleash.isEnabled('${flag}')));
`,
    },
    {
      id: 'python',
      language: 'Python',
      kind: 'backend',
      install: 'pip install UnleashClient',
      code: `from UnleashClient import UnleashClient

client = UnleashClient(
    url="${api}",
    app_name="${app}",
    custom_headers={"Authorization": "${token}"},
)
client.initialize_client()
print(client.is_enabled("${flag}"))
`,
    },
    {
      id: 'go',
      language: 'Go',
      kind: 'backend',
      install: 'go get github.com/Unleash/unleash-go-sdk/v5',
      code: `package main

import (
	"fmt"
	"net/http"

	unleash "github.com/Unleash/unleash-go-sdk/v5"
)

func main() {
	unleash.Initialize(
		unleash.WithUrl("${api}"),
		unleash.WithAppName("${app}"),
		unleash.WithCustomHeaders(http.Header{"Authorization": {"${token}"}}),
	)
	unleash.WaitForReady()
	fmt.Println(unleash.IsEnabled("${flag}"))
}
`,
    },
    {
      id: 'java',
      language: 'Java',
      kind: 'backend',
      install: 'implementation("io.getunleash:unleash-client-java:10.2.0")',
      code: `import io.getunleash.DefaultUnleash;
import io.getunleash.Unleash;
import io.getunleash.util.UnleashConfig;

public class Main {
  public static void main(String[] args) {
    Unleash unleash = new DefaultUnleash(UnleashConfig.builder()
        .unleashAPI("${api}")
        .appName("${app}")
        .apiKey("${token}")
        .synchronousFetchOnInitialisation(true)
        .build());
    System.out.println(unleash.isEnabled("${flag}"));
  }
}
`,
    },
    {
      id: 'dotnet',
      language: '.NET',
      kind: 'backend',
      install: 'dotnet add package Unleash.Client',
      code: `using Unleash;
using Unleash.ClientFactory;

var settings = new UnleashSettings
{
    UnleashApi = new Uri("${api}/"),
    AppName = "${app}",
    CustomHttpHeaders = new Dictionary<string, string> { ["Authorization"] = "${token}" },
};
var unleash = await new UnleashClientFactory().CreateClientAsync(settings, synchronousInitialization: true);
Console.WriteLine(unleash.IsEnabled("${flag}"));
`,
    },
    {
      id: 'ruby',
      language: 'Ruby',
      kind: 'backend',
      install: 'gem install unleash',
      code: `require 'unleash'

unleash = Unleash::Client.new(
  url: '${api}',
  app_name: '${app}',
  custom_http_headers: { 'Authorization': '${token}' }
)
puts unleash.is_enabled?('${flag}')
`,
    },
    {
      id: 'php',
      language: 'PHP',
      kind: 'backend',
      install: 'composer require unleash/client symfony/http-client nyholm/psr7',
      code: `<?php
require 'vendor/autoload.php';

use Unleash\\Client\\UnleashBuilder;

$unleash = UnleashBuilder::create()
    ->withAppName('${app}')
    ->withAppUrl('${api}')
    ->withInstanceId('my-instance')
    ->withHeader('Authorization', '${token}')
    ->build();
var_dump($unleash->isEnabled('${flag}'));
`,
    },
    {
      id: 'rust',
      language: 'Rust',
      kind: 'backend',
      install:
        'cargo add unleash-api-client --features reqwest-client && cargo add tokio --features full && cargo add enum-map serde',
      code: `use enum_map::Enum;
use serde::{Deserialize, Serialize};
use unleash_api_client::{client::ClientBuilder, prelude::DefaultClient};

#[allow(non_camel_case_types)]
#[derive(Debug, Deserialize, Serialize, Enum, Clone)]
enum Flags {
    #[serde(rename = "${flag}")]
    MyFlag,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let client = ClientBuilder::default()
        .into_client::<Flags, DefaultClient>("${api}", "${app}", "my-instance", Some("${token}".into()))?;
    client.register().await?;
    let (_, enabled) = tokio::join!(client.poll_for_updates(), async {
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        let enabled = client.is_enabled(Flags::MyFlag, None, false);
        client.stop_poll().await;
        enabled
    });
    println!("{enabled}");
    Ok(())
}
`,
    },
    {
      id: 'javascript',
      language: 'JavaScript (browser)',
      kind: 'frontend',
      install: 'npm install unleash-proxy-client',
      code: `import { UnleashClient } from 'unleash-proxy-client';

const unleash = new UnleashClient({
  url: '${api}/frontend',
  clientKey: '${token}',
  appName: '${app}',
});
unleash.on('ready', () => console.log(unleash.isEnabled('${flag}')));
unleash.start();
`,
    },
    {
      id: 'react',
      language: 'React',
      kind: 'frontend',
      install: 'npm install @unleash/proxy-client-react unleash-proxy-client',
      code: `import { createRoot } from 'react-dom/client';
import { FlagProvider, useFlag } from '@unleash/proxy-client-react';

const config = { url: '${api}/frontend', clientKey: '${token}', appName: '${app}' };

function Answer() {
  return <p>{useFlag('${flag}') ? 'on' : 'off'}</p>;
}

createRoot(document.getElementById('root')).render(
  <FlagProvider config={config}>
    <Answer />
  </FlagProvider>,
);
`,
    },
    {
      id: 'swift',
      language: 'Swift (iOS)',
      kind: 'frontend',
      install: '.package(url: "https://github.com/Unleash/unleash-ios-sdk.git", from: "2.0.0")',
      code: `import UnleashProxyClientSwift

let unleash = UnleashProxyClientSwift.UnleashClient(
    unleashUrl: "${api}/frontend",
    clientKey: "${token}",
    refreshInterval: 15,
    appName: "${app}"
)
unleash.subscribe(name: "ready") { print(unleash.isEnabled(name: "${flag}")) }
unleash.start()
`,
    },
    {
      id: 'curl',
      language: 'curl',
      kind: 'backend',
      install: '',
      code: `curl -H 'Authorization: ${token}' ${api}/client/features/${flag}
`,
    },
  ];
}
