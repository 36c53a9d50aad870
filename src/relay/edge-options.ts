/** What Unleash Edge (up to its last open-source version) is told on its command line, and what becomes of it here. */
export interface EdgeOption {
  /** Without its dashes. The variable of the same meaning is called the same, in capitals. */
  readonly flag: string;
  /** Its one letter. */
  readonly short?: string;
  /** Before the word `edge` or `offline`, behind `edge`, behind `offline`; all of them may stand behind the word here. */
  readonly of: 'both' | 'edge' | 'offline';
  /** `switch`: the flag alone means true. `list`: it may be repeated. */
  readonly kind: 'value' | 'list' | 'switch';
  /**
   * `same`: it does here what it does there. `other`: what it is for is had here, in another way. `none`: it means nothing here, and is told at a start.
   * `refused`: a start that went on without it would not be what was asked for.
   */
  readonly fate: 'same' | 'other' | 'none' | 'refused';
  /** Burgee's own variable, where it has one for this. */
  readonly as?: string;
  /** What it does; of `other`, `none` and `refused`: what there is instead. Begins in lower case. */
  readonly note: string;
}

const both = (option: Omit<EdgeOption, 'of'>): EdgeOption => ({ of: 'both', ...option });
const edge = (option: Omit<EdgeOption, 'of'>): EdgeOption => ({ of: 'edge', ...option });
const offline = (option: Omit<EdgeOption, 'of'>): EdgeOption => ({ of: 'offline', ...option });

const SERVER: readonly EdgeOption[] = [
  both({
    flag: 'port',
    short: 'p',
    kind: 'value',
    fate: 'same',
    as: 'HTTP_PORT',
    note: 'port to listen on; 3063 without it',
  }),
  both({
    flag: 'interface',
    short: 'i',
    kind: 'value',
    fate: 'same',
    as: 'HTTP_HOST',
    note: 'address to listen on; every one without it, IPv6 too',
  }),
  both({
    flag: 'base-path',
    short: 'b',
    kind: 'value',
    fate: 'same',
    as: 'BASE_URI_PATH',
    note: 'put before every path',
  }),
  both({
    flag: 'workers',
    short: 'w',
    kind: 'value',
    fate: 'none',
    note: 'one thread serves; with `HTTP_SHARE_PORT=true` several processes of a machine share a port',
  }),
  both({
    flag: 'cors-origin',
    kind: 'list',
    fate: 'same',
    as: 'UNLEASH_FRONTEND_API_ORIGINS',
    note: 'origins whose pages may call the frontend API; every one without it',
  }),
  both({
    flag: 'cors-allowed-headers',
    kind: 'list',
    fate: 'none',
    note: 'whichever headers a page asks for are allowed',
  }),
  both({ flag: 'cors-exposed-headers', kind: 'list', fate: 'none', note: '`ETag` and `Retry-After` are exposed' }),
  both({ flag: 'cors-methods', kind: 'list', fate: 'none', note: 'the methods of each path are allowed' }),
  both({ flag: 'cors-max-age', kind: 'value', fate: 'none', note: 'a day, which is what browsers take at most' }),
  both({
    flag: 'trust-proxy',
    kind: 'switch',
    fate: 'same',
    as: 'TRUST_PROXY',
    note: 'believes `X-Forwarded-For`: of every caller, or of those that `PROXY_TRUSTED_SERVERS` names',
  }),
  both({
    flag: 'proxy-trusted-servers',
    kind: 'list',
    fate: 'same',
    as: 'TRUST_PROXY',
    note: 'addresses and ranges of the proxies that are believed',
  }),
  both({
    flag: 'edge-request-timeout',
    kind: 'value',
    fate: 'same',
    as: 'HANDLER_DEADLINE_MS',
    note: 'seconds in which a request is answered or told 503; 30 without it',
  }),
  both({
    flag: 'edge-keepalive-timeout',
    kind: 'value',
    fate: 'none',
    note: 'an idle connection is kept for 10 seconds',
  }),
  both({
    flag: 'log-format',
    short: 'l',
    kind: 'value',
    fate: 'same',
    as: 'LOG_FORMAT',
    note: '`json`, `pretty`, or `plain`, which is `pretty` here; `json` without it',
  }),
];

const WHO: readonly EdgeOption[] = [
  both({
    flag: 'app-name',
    short: 'a',
    kind: 'value',
    fate: 'same',
    note: 'what upstream is told as the name of this relay',
  }),
  both({ flag: 'instance-id', kind: 'value', fate: 'same', note: 'what upstream is told as the id of this process' }),
];
export const EDGE_OPTIONS: readonly EdgeOption[] = [...SERVER, ...WHO];
void edge;
void offline;
