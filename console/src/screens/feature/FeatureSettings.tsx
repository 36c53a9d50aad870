import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, read, stated, type Written, write } from '../../data/client.ts';
import type { Failure } from '../../data/failure.ts';
import { forget, useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { showReceipt } from '../../data/receipts.ts';
import { tagTypesQuery, useProjects } from '../../data/settings.ts';
import type { Feature } from '../../domain/model.ts';
import { DraftBar } from '../../kit/changes/DraftBar.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { toast } from '../../kit/notices/toast.ts';
import { Tag } from '../../kit/texts/Badge.tsx';
import { area, check, choice, FieldList, type ValuesOf } from '../../parts/fields.tsx';
import { TagChoice } from '../../parts/TagChoice.tsx';
import { path } from '../../paths.ts';
import { RestoredText } from '../../save/Restored.tsx';
import { refreshed } from '../../save/use-write.ts';
import { settings as words } from '../../words/en/flags/feature-more.ts';
import { features } from '../../words/en/flags/features.ts';
import { parts } from '../../words/en/parts.ts';
import styles from './FeatureSettings.module.css';

const FLAG = '/api/admin/projects/{projectId}/features/{featureName}';
const at = (flag: Feature) => ({ path: { projectId: flag.project, featureName: flag.name } });

/** Shows a refusal, or the receipt. Returns whether it was saved. */
async function done(call: Promise<Written<unknown>>, text: string): Promise<boolean> {
  const answer = await call;
  if (!answer.ok) toast({ tone: 'bad', text: answer.failure.message });
  else if (answer.revision !== null) showReceipt(text, [answer.revision]);
  return answer.ok;
}

const fields = {
  description: area(parts.description, { rows: 3 }),
  type: choice<Feature['type']>(parts.type, features.types, 'release'),
  impressionData: check(words.impressions, false, words.impressionsHint),
};
type About = ValuesOf<typeof fields>;

const aboutOf = (flag: Feature): About => ({
  description: flag.description ?? '',
  type: flag.type,
  impressionData: flag.impressionData,
});
/** Each part of the page is saved by itself. */
const formOf = (flag: Feature, part: string) => `flag ${flag.project}/${flag.name} ${part}`;

const changedOf = (base: About, mine: About) =>
  (Object.keys(fields) as (keyof About)[]).filter((field) => base[field] !== mine[field]);

const patchOf = (saved: About, mine: About) =>
  changedOf(saved, mine).map((field) => ({ op: 'replace' as const, path: `/${field}`, value: mine[field] }));

function AboutForm({ flag, etag }: { readonly flag: Feature; readonly etag: string | null }) {
  const form = formOf(flag, 'about');
  const saved = useMemo(() => aboutOf(flag), [flag]);
  const [mine, setMine] = useKept('about', saved, form);
  const count = changedOf(saved, mine).length;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  // The tag of what the draft began with: a save on another state is refused, and the form keeps what was typed.
  const read = useRef(etag);
  useEffect(() => {
    if (count === 0) read.current = etag;
  }, [count, etag]);
  const mayNot = useMay('UPDATE_FEATURE', flag.project);
  const save = async () => {
    setPending(true);
    const sent = { params: at(flag), headers: stated({ etag: read.current }), body: patchOf(saved, mine) };
    const answer = await write(api.PATCH(FLAG, sent));
    if (answer.ok) await refreshed([keys.feature(flag.project, flag.name)]);
    setPending(false);
    if (!answer.ok) {
      if (answer.failure.status === 412) read.current = answer.failure.etag;
      return setFailure(answer.failure);
    }
    setFailure(null);
    forget(form);
    if (answer.revision !== null) showReceipt(`${flag.name}: ${words.saved}`, [answer.revision]);
  };
  return (
    <section className={styles.section}>
      <h2>{words.about}</h2>
      <FieldList fields={fields} values={mine} mayNot={mayNot} onChange={setMine} />
      {failure && (
        <Banner tone={failure.status === 412 ? 'warn' : 'bad'}>
          {failure.status === 412 ? words.changedMeanwhile : failure.message}
        </Banner>
      )}
      <DraftBar
        count={count}
        pending={isPending}
        reason={mayNot}
        label={parts.save}
        onReview={() => void save()}
        onDiscard={() => forget(form)}
      >
        <RestoredText form={form} />
      </DraftBar>
    </section>
  );
}

function Tags({ flag }: { readonly flag: Feature }) {
  const { data: types } = useQuery(tagTypesQuery);
  const form = formOf(flag, 'tag');
  const [type, setType] = useKept('type', 'simple', form);
  const [value, setValue] = useKept('value', '', form);
  const mayNot = useMay('UPDATE_FEATURE', flag.project);
  const params = { path: { featureName: flag.name } };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '' || mayNot) return;
    const isDone = await done(
      write(api.POST('/api/admin/features/{featureName}/tags', { params, body: { type, value: value.trim() } })),
      `${flag.name}: + ${type}:${value}`,
    );
    if (isDone) forget(form);
  };
  const remove = (tag: { type: string; value: string }) =>
    done(
      write(
        api.DELETE('/api/admin/features/{featureName}/tags/{type}/{value}', {
          params: { path: { featureName: flag.name, ...tag } },
        }),
      ),
      `${flag.name}: − ${tag.type}:${tag.value}`,
    );
  return (
    <section className={styles.section}>
      <h2>{parts.tags}</h2>
      <p className={styles.line}>
        {flag.tags?.map((tag) => (
          <Tag
            wraps
            key={`${tag.type}:${tag.value}`}
            type={tag.type}
            value={tag.value}
            {...(mayNot ? {} : { onRemove: () => void remove({ type: tag.type, value: tag.value }) })}
          />
        ))}
        {!flag.tags?.length && <span className={styles.quiet}>{words.noTags}</span>}
      </p>
      <form className={styles.row} onSubmit={(event) => void add(event)}>
        <Field label={words.tagType}>
          <Select
            options={(types ?? []).map(({ name }) => ({ value: name, label: name }))}
            value={type}
            onChange={setType}
          />
        </Field>
        <TagChoice label={words.tagValue} type={type} value={value} onChange={setValue} />
        <Button type="submit" reason={mayNot}>
          {parts.add}
        </Button>
      </form>
    </section>
  );
}

function Links({ flag }: { readonly flag: Feature }) {
  const form = formOf(flag, 'link');
  const [url, setUrl] = useKept('url', '', form);
  const [title, setTitle] = useKept('title', '', form);
  const mayNot = useMay('UPDATE_FEATURE', flag.project);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (url === '' || mayNot) return;
    const isDone = await done(
      write(api.POST(`${FLAG}/link`, { params: at(flag), body: { url, title: title || null } })),
      `${flag.name}: + ${title || url}`,
    );
    if (isDone) forget(form);
  };
  const remove = (id: string, name: string) =>
    done(
      write(api.DELETE(`${FLAG}/link/{linkId}`, { params: { path: { ...at(flag).path, linkId: id } } })),
      `${flag.name}: − ${name}`,
    );
  return (
    <section className={styles.section}>
      <h2>{words.links}</h2>
      <ul>
        {flag.links.map((link) => (
          <li key={link.id} className={styles.line}>
            <a href={link.url} rel="noreferrer" target="_blank" className={styles.link}>
              {link.title || link.url}
            </a>
            <IconButton
              size="small"
              icon={<Trash2 aria-hidden />}
              label={words.removeLink(link.title || link.url)}
              reason={mayNot}
              onClick={() => void remove(link.id, link.title || link.url)}
            />
          </li>
        ))}
      </ul>
      {flag.links.length === 0 && <p className={styles.quiet}>{words.noLinks}</p>}
      <form className={styles.row} onSubmit={(event) => void add(event)}>
        <Field label={words.url}>
          <TextInput type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
        <Field label={words.linkTitle}>
          <TextInput value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Button type="submit" reason={mayNot}>
          {words.addLink}
        </Button>
      </form>
    </section>
  );
}

function useParentOptions(flag: Feature) {
  const { data } = useQuery({
    queryKey: keys.featureOf(flag.name, 'parents'),
    queryFn: () =>
      read(
        api.GET('/api/admin/projects/{projectId}/features/{child}/parents', {
          params: { path: { projectId: flag.project, child: flag.name } },
        }),
      ),
    enabled: flag.dependencies.length === 0 && flag.children.length === 0,
  });
  return data;
}

const PARENT_STATES = [
  { value: 'on', label: words.parentOn },
  { value: 'off', label: words.parentOff },
];

function Parent({ flag }: { readonly flag: Feature }) {
  const form = formOf(flag, 'parent');
  const [parent, setParent] = useKept<string | null>('parent', null, form);
  const [state, setState] = useKept('state', 'on', form);
  const mayNot = useMay('UPDATE_FEATURE_DEPENDENCY', flag.project);
  const options = useParentOptions(flag);
  const params = { path: { projectId: flag.project, child: flag.name } };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!parent || mayNot) return;
    const body = { feature: parent, enabled: state === 'on' };
    const isDone = await done(
      write(api.POST('/api/admin/projects/{projectId}/features/{child}/dependencies', { params, body })),
      `${flag.name} → ${parent}`,
    );
    if (isDone) forget(form);
  };
  const remove = (name: string) =>
    done(
      write(
        api.DELETE('/api/admin/projects/{projectId}/features/{child}/dependencies/{parent}', {
          params: { path: { ...params.path, parent: name } },
        }),
      ),
      words.removeParent(name),
    );
  return (
    <section className={styles.section}>
      <h2>{words.parent}</h2>
      <p className={styles.quiet}>{words.parentHint}</p>
      {flag.dependencies.map(({ feature, enabled }) => (
        <p key={feature} className={styles.line}>
          <code>{feature}</code> ({enabled === false ? words.parentOff : words.parentOn})
          <IconButton
            size="small"
            icon={<Trash2 aria-hidden />}
            label={words.removeParent(feature)}
            reason={mayNot}
            onClick={() => void remove(feature)}
          />
        </p>
      ))}
      {flag.dependencies.length === 0 && (
        <form className={styles.row} onSubmit={(event) => void add(event)}>
          <Field label={words.addParent}>
            <Combobox
              mono
              options={(options ?? []).map((name) => ({ value: name, label: name }))}
              value={parent}
              placeholder={words.noParent}
              onChange={setParent}
            />
          </Field>
          <Field label={words.parentState}>
            <Select options={PARENT_STATES} value={state} onChange={setState} />
          </Field>
          <Button type="submit" reason={mayNot}>
            {parts.add}
          </Button>
        </form>
      )}
    </section>
  );
}

function Move({ flag }: { readonly flag: Feature }) {
  const { data: projects } = useProjects();
  const form = formOf(flag, 'move');
  const [to, setTo] = useKept<string | null>('to', null, form);
  const [, navigate] = useLocation();
  const mayNot = useMay('MOVE_FEATURE_TOGGLE', flag.project);
  const move = async (event: FormEvent) => {
    event.preventDefault();
    if (!to || mayNot) return;
    const isDone = await done(
      write(api.POST(`${FLAG}/changeProject`, { params: at(flag), body: { newProjectId: to } })),
      words.moved(flag.name, to),
    );
    if (!isDone) return;
    forget(form);
    navigate(path('feature', { projectId: to, featureId: flag.name }), { replace: true });
  };
  return (
    <section className={styles.section}>
      <h2>{parts.project}</h2>
      <p className={styles.quiet}>{words.moveHint}</p>
      <form className={styles.row} onSubmit={(event) => void move(event)}>
        <Field label={words.moveTo}>
          <Combobox
            options={(projects ?? [])
              .filter(({ id }) => id !== flag.project)
              .map(({ id, name }) => ({ value: id, label: name }))}
            value={to}
            onChange={setTo}
          />
        </Field>
        <Button type="submit" reason={mayNot}>
          {words.moveRun}
        </Button>
      </form>
    </section>
  );
}

/** What is not about one environment. */
export function FeatureSettings({ flag, etag }: { readonly flag: Feature; readonly etag: string | null }) {
  return (
    <div className={styles.settings}>
      <AboutForm flag={flag} etag={etag} />
      <Tags flag={flag} />
      <Links flag={flag} />
      <Parent flag={flag} />
      <Move flag={flag} />
    </div>
  );
}
