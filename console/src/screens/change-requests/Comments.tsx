import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Field } from '../../kit/Field.tsx';
import { TextArea } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { changeRequests as words } from '../../words/en/change-requests.ts';
import styles from './ChangeRequests.module.css';

export function Comments({ request }: { readonly request: ChangeRequest }) {
  const [text, setText] = useState('');
  const writing = useWrite();
  const client = useQueryClient();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    const params = { path: { projectId: request.project, id: request.id } };
    const done = await writing.run(
      () =>
        write(api.POST('/api/admin/projects/{projectId}/change-requests/{id}/comments', { params, body: { text } })),
      '',
    );
    if (!done) return;
    setText('');
    await client.invalidateQueries({ queryKey: keys.changeRequest(request.id) });
  };
  return (
    <section className={styles.section}>
      <h2>{words.comments}</h2>
      {request.comments.map((comment) => (
        <div key={comment.id} className={styles.comment}>
          <p className={styles.quiet}>
            {comment.createdBy.username} · <TimeText at={comment.createdAt} />
          </p>
          <p>{comment.text}</p>
        </div>
      ))}
      <form onSubmit={(event) => void submit(event)} className={styles.row}>
        <Field label={words.comment}>
          <TextArea rows={1} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Button type="submit" pending={writing.isPending}>
          {words.addComment}
        </Button>
      </form>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </section>
  );
}
