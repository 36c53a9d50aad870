import type { Config } from '../../config.ts';

/** The addresses of a running service, for its operator. They have no slash at their end. */
export interface Addresses {
  /** For browsers: the public URL, or HTTPS where the service has it. */
  readonly console: string;
  /** For programs: the public URL, or plain HTTP, because a program on this machine may not know the authority of the certificate. */
  readonly api: string;
}

/** Addresses that are no name of a machine: the service listens on all addresses of it, or only on the loopback interface. */
const LOCAL_HOSTS: readonly string[] = ['', '0.0.0.0', '::', '127.0.0.1', '::1', 'localhost'];

/** The addresses of a service that listens on these ports. `tlsPort` is undefined when HTTPS is off. */
export function addressesOf(
  config: Config,
  ports: { readonly port: number; readonly tlsPort: number | undefined },
): Addresses {
  const publicUrl = config.serviceUrl.replace(/\/+$/, '');
  if (publicUrl !== '') return { console: publicUrl, api: publicUrl };
  const api = `http://${hostOf(config.host)}:${ports.port}${config.basePath}`;
  if (ports.tlsPort === undefined) return { console: api, api };
  return { console: `https://${hostOf(config.tlsHost || config.host)}:${ports.tlsPort}${config.basePath}`, api };
}

function hostOf(host: string): string {
  if (LOCAL_HOSTS.includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
