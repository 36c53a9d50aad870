import type { Config } from '../../config.ts';

/**
 * The public URL of the service, without a trailing slash. Links begin with it, and identity providers use it to identify the service. It contains
 * nothing from a request: otherwise a client could make links to another host.
 */
export function publicUrl({ serviceUrl, port, basePath }: Config): string {
  return serviceUrl.replace(/\/+$/, '') || `http://localhost:${port}${basePath}`;
}
