import { useQuery } from '@tanstack/react-query';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { useQuickWrite } from '../../save/use-write.ts';
import { profile as words } from '../../words/en/people/profile.ts';

const sessionsQuery = {
  queryKey: keys.own('sessions'),
  queryFn: async () => (await read(api.GET('/api/admin/user/sessions'))).sessions,
} as const;

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** “Chrome, Linux”, or the text itself where it is none of these. */
function agentName(text: string): string {
  const found = [BROWSERS, SYSTEMS].flatMap((list) => list.find(([sign]) => text.includes(sign))?.[1] ?? []);
  return found.length > 0 ? found.join(', ') : text || words.unknownAgent;
}

export function Sessions() {
  const query = useQuery(sessionsQuery);
  const { run, isPending } = useQuickWrite();
  const refresh = [keys.own('sessions')];
  const end = (sessionId: string) =>
    run(() => write(api.DELETE('/api/admin/user/sessions/{sessionId}', { params: { path: { sessionId } } })), {
      text: words.ended,
      refresh,
    });
  const endOthers = () =>
    run(() => write(api.DELETE('/api/admin/user/sessions')), { text: words.othersEnded, refresh });
  return (
    <Loaded query={query}>
      {(sessions) => (
        <>
          <div className={styles.between}>
            <p className={styles.quiet}>{words.sessionsLead}</p>
            <Button
              size="small"
              pending={isPending}
              reason={sessions.length < 2 ? words.noOthers : undefined}
              onClick={() => void endOthers()}
            >
              {words.endOthers}
            </Button>
          </div>
          <div className={styles.list}>
            <ul className={styles.items}>
              {sessions.map((session) => (
                <li key={session.id}>
                  <div className={styles.grow}>
                    <div className={styles.row} title={session.userAgent}>
                      {agentName(session.userAgent)}
                      {session.current && <Badge tone="accent">{words.current}</Badge>}
                    </div>
                    <div className={styles.quiet}>
                      {words.since} <TimeText at={session.createdAt} /> · {words.ends}{' '}
                      <TimeText at={session.expiresAt} />
                    </div>
                  </div>
                  {!session.current && (
                    <Button
                      size="small"
                      aria-label={words.endOf(agentName(session.userAgent))}
                      onClick={() => void end(session.id)}
                    >
                      {words.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        </>
      )}
    </Loaded>
  );
}
