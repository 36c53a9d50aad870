import { Rejection } from '../../../base/rejection.ts';
import { REVISION_HEADER } from '../../../http/answer.ts';
import { streamed } from '../../endpoint.ts';

const BINARY = 'application/octet-stream';

const getBackup = streamed('GET /api/admin/backup', 'getBackup', {
  tag: 'Operations',
  access: { permission: 'ADMIN' },
  summary: 'A backup of the whole instance, taken while the service runs',
  description:
    'The state of one moment and all audit events up to then, API tokens included, as one file that `burgee store restore` restores into an empty ' +
    'store (docs/moving.md). The response begins when the file is complete. One backup is taken at a time. A restore detects a truncated file.',
  contentTypes: [],
  responses: {
    200: {
      description: 'The file',
      contentType: BINARY,
      headers: { [REVISION_HEADER]: 'The revision of the state in it', 'content-disposition': 'A name for the file' },
    },
  },
  errors: [429],
  async handle({ signal }, { backups }) {
    const backup = await backups.take(signal);
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
