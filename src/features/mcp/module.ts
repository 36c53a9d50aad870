import { feature } from '../feature-module.ts';

/** The Model Context Protocol, with which agents use the admin API as tools (docs/extend/mcp.md). */
export const mcpFeature = feature({
  name: 'mcp',
  parts: async () => (await import('./parts.ts')).mcpParts,
  http: async () => (await import('./http.ts')).http,
});
