import { Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { api, stated, write } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { type MayNot, useMay } from '../data/may.ts';
import { useOpened } from '../data/opened.ts';
import { classes } from '../kit/classes.ts';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { type Column, Table } from '../kit/lists/Table.tsx';
import { NumberText } from '../kit/texts/NumberText.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { Words } from '../save/Words.tsx';
import { code as words } from '../words/en/flags/code.ts';
import { parts } from '../words/en/parts.ts';
import { type Repository, useRepositories } from './code-data.ts';

function DeleteRepository({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(name)}
      sentences={[words.deleteEffect(name), words.deleteAgain]}
      label={parts.delete}
      mayNot={useMay('UPDATE_APPLICATION')}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/code-repositories/{repository}', {
            params: { path: { repository: name } },
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ text: words.deleted(name), refresh: [keys.codeRepositories()] }}
      onClose={onClose}
    />
  );
}

function columnsOf(onDelete: (name: string) => void, mayNot: MayNot): Column<Repository>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name }) => <span className={styles.cut}>{name}</span>,
    },
    {
      key: 'at',
      header: columns.at,
      width: 'minmax(0, 2fr)',
      from: 'medium',
      cell: ({ branch, commit }) => <span className={`${styles.cut} ${styles.quiet}`}>{words.at(branch, commit)}</span>,
    },
    {
      key: 'reported',
      header: columns.reported,
      width: '112px',
      from: 'wide',
      cell: ({ reportedAt }) => <TimeText at={reportedAt} />,
    },
    {
      key: 'flags',
      header: columns.flags,
      width: '72px',
      align: 'end',
      cell: ({ flags }) => <NumberText value={flags} />,
    },
    {
      key: 'delete',
      header: columns.delete,
      isHeaderHidden: true,
      width: '56px',
      align: 'end',
      cell: ({ name }, controls) => (
        <IconButton
          {...controls}
          size="small"
          icon={<Trash2 aria-hidden />}
          label={words.deleteLabel(name)}
          reason={mayNot}
          onClick={() => onDelete(name)}
        />
      ),
    },
  ];
}

/** The repositories that reported where their code uses flags. */
export function Repositories() {
  const query = useRepositories();
  const [asked, setDeleted] = useOpened('delete');
  const deleted = asked === '' ? null : asked;
  const mayNot = useMay('UPDATE_APPLICATION');
  const columns = useMemo(() => columnsOf(setDeleted, mayNot), [setDeleted, mayNot]);
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.repositoriesTitle}</h2>
      <p className={styles.lead}>{words.repositoriesLead}</p>
      <Loaded query={query} rows={2}>
        {(repositories) =>
          repositories.length === 0 ? (
            <p className={classes(styles.quiet, styles.whole)}>
              <Words text={words.noReports} />
            </p>
          ) : (
            <div className={styles.list}>
              <Table<Repository>
                label={words.repositoriesTitle}
                columns={columns}
                rows={repositories}
                rowKey={({ name }) => name}
              />
            </div>
          )
        }
      </Loaded>
      {deleted !== null && <DeleteRepository name={deleted} onClose={() => setDeleted('')} />}
    </section>
  );
}
