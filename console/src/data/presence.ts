import { BASE_PATH } from '../base-path.ts';

/** This page, among the pages that the person has open. */
const PAGE = `console-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
/** A report is valid for thirty seconds. */
const REPEAT_MS = 20_000;

const url = `${BASE_PATH}/api/admin/presence/${PAGE}`;

/** Reports that the person looks at an entity, or edits it, until the returned function is called. */
export function reportPresence(
  type: 'feature' | 'segment' | 'project' | 'environment',
  id: string,
  mode: 'viewing' | 'editing',
): () => void {
  const report = () => {
    void fetch(url, {
      method: 'PUT',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type, id, mode }),
    }).catch(() => undefined);
  };
  report();
  const timer = setInterval(report, REPEAT_MS);
  return () => {
    clearInterval(timer);
    void fetch(url, { method: 'DELETE', credentials: 'same-origin', keepalive: true }).catch(() => undefined);
  };
}
