import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpenedItem } from '../../data/opened.ts';
import { tagsQuery } from '../../data/settings.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { tags as words } from '../../words/en/admin/tags.ts';
import { parts } from '../../words/en/parts.ts';
import { type Tag, tagText } from './tag-data.ts';

const REFRESH = [keys.tagTypes, ['feature']];

function DeleteTag({ tag, onClose }: { readonly tag: Tag; readonly onClose: () => void }) {
  const { type, value } = tag;
  const text = tagText(tag);
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteValueTitle(text)}
      sentences={[words.deleteValueEffect(text)]}
      label={parts.delete}
      mayNot={useMay('DELETE_TAG_TYPE')}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/tags/{type}/{value}', {
            params: { path: { type, value } },
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ canUndo: true, text: words.deletedValue(text), refresh: REFRESH }}
      onClose={onClose}
    />
  );
}

const LENGTH_MIN = 2;
const LENGTH_MAX = 50;

function AddTag({ type, known }: { readonly type: string; readonly known: readonly Tag[] }) {
  const [text, setText] = useKept('tag', '');
  const { run, isPending, failure } = useWrite();
  const mayNot = useMay('CREATE_TAG_TYPE');
  const value = text.trim();
  const isWrong = value.length < LENGTH_MIN || value.length > LENGTH_MAX;
  const problem = isWrong ? words.valueWrong : undefined;
  const taken = known.some((tag) => tag.value === value) ? words.isThere : undefined;
  const add = () =>
    run(() => write(api.POST('/api/admin/tags', { body: { type, value } })), {
      text: words.added(tagText({ type, value })),
      refresh: REFRESH,
      onDone: () => setText(''),
    });
  const reason = mayNot ?? problem ?? taken;
  return (
    <>
      <div className={styles.row}>
        <Field label={words.value} hint={words.valueHint} error={taken} className={styles.grow}>
          <TextInput
            mono
            maxLength={LENGTH_MAX}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              if (reason === undefined && !isPending) void add();
            }}
          />
        </Field>
        <Button icon={<Plus aria-hidden />} reason={reason} pending={isPending} onClick={() => void add()}>
          {words.add}
        </Button>
      </div>
      <FailureText failure={failure} />
    </>
  );
}

/** The tags of a type. Each is saved at once: a tag has nothing else to edit. */
export function TagValues({ type }: { readonly type: string }) {
  const query = useQuery(tagsQuery);
  const [deleting, setDeleting] = useOpenedItem('tag', query.data, tagText);
  const mayNot = useMay('DELETE_TAG_TYPE');
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.values}</h3>
      <Loaded query={query} rows={3}>
        {(all) => {
          const known = all.filter((tag) => tag.type === type);
          return (
            <>
              {known.length === 0 ? (
                <p className={styles.quiet}>{words.noValues}</p>
              ) : (
                <div className={styles.list}>
                  <ul className={styles.items}>
                    {known.map((tag) => (
                      <li key={tag.value}>
                        <Link
                          className={`${styles.grow} ${styles.mono} ${styles.link}`}
                          aria-label={words.flagsWith(tagText(tag))}
                          href={path('features', {}, { tag: encodeURIComponent(tagText(tag)) })}
                        >
                          {tag.value}
                        </Link>
                        <IconButton
                          size="small"
                          icon={<Trash2 aria-hidden />}
                          label={words.deleteValue(tagText(tag))}
                          reason={mayNot}
                          onClick={() => setDeleting(tag)}
                        />
                      </li>
                    ))}
                  </ul>
                </div>
              )}
              <AddTag type={type} known={known} />
            </>
          );
        }}
      </Loaded>
      {deleting && <DeleteTag tag={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}
