import { Rejection } from '../../../base/rejection.ts';
import { REVISION_HEADER } from '../../../http/answer.ts';
import { streamed } from '../../endpoint.ts';

const BINARY = 'application/octet-stream';

const getBackup = streamed('GET /api/admin/backup', 'getBackup', {
  tag: 'Operations',
  access: { permission: 'ADMIN' },
  summary: 'A backup of the whole instance, taken while the service runs',
  description:
    'The state of one moment and all audit events until this moment, including API tokens, as one file. `burgee store restore` restores it into ' +
    'an empty store (docs/move-in/moving.md). The response begins when the file is complete. Only one backup runs at a time. A restore detects a truncated ' +
    'file. 503: there is no disk space for it, or the store cannot be read. The connection is closed if changes need the space.',
  contentTypes: [],
  responses: {
    200: {
      description: 'The file',
      contentType: BINARY,
      headers: {
        [REVISION_HEADER]: 'The revision of the state in the backup',
        'content-disposition': 'A name for the file',
      },
    },
  },
  errors: [429],
  async handle({ signal, asker }, { backups }) {
    const backup = await backups.take(signal, asker);
    if (backup instanceof Rejection) return backup;
    const headers = {
      'content-type': BINARY,
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="burgee-${backup.seq}.backup"`,
      [REVISION_HEADER]: String(backup.seq),
    };
    return { status: 200, headers, chunks: backup.bytes };
  },
});

export const backupEndpoints = [getBackup];
