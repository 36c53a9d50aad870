import { CircleCheck, Clock, TriangleAlert } from 'lucide-react';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { Badge, Tag } from '../../kit/texts/Badge.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { Markdown, MarkdownLine } from '../../kit/texts/Markdown.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const SNIPPET = `import { initialize } from 'unleash-client';

const client = initialize({
  url: 'http://localhost:4242/api',
  appName: 'shop',
  customHeaders: { Authorization: process.env.BURGEE_TOKEN },
});`;

const MARKDOWN = '# Tonight\n\nFlags are *read only* while we move.\n\n- `checkout` stays on\n- polls are answered';

export function Texts() {
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Texts</h2>
      <Marks />
      <Values />
    </section>
  );
}

function Marks() {
  return (
    <>
      <Specimen name="Badge">
        <State of="tones">
          <span className={styles.states}>
            <Badge>draft</Badge>
            <Badge tone="accent" dot>
              in review
            </Badge>
            <Badge tone="good" icon={<CircleCheck aria-hidden />}>
              applied
            </Badge>
            <Badge tone="warn" icon={<Clock aria-hidden />}>
              stale
            </Badge>
            <Badge tone="bad" icon={<TriangleAlert aria-hidden />}>
              conflict
            </Badge>
            <Badge tone="production">production</Badge>
          </span>
        </State>
      </Specimen>
      <Specimen name="Tag">
        <State of="of a flag">
          <Tag type="team" value="payments" />
        </State>
        <State of="removable">
          <Tag value="NO" onRemove={() => undefined} />
        </State>
      </Specimen>
      <Specimen name="EnvironmentMark">
        <State of="plain">
          <EnvironmentMark name="development" production={false} />
        </State>
        <State of="production">
          <EnvironmentMark name="production" production />
        </State>
        <State of="production by another name, protected">
          <EnvironmentMark name="live" production protected />
        </State>
      </Specimen>
    </>
  );
}

function Values() {
  return (
    <>
      <Specimen name="TimeText">
        <State of="relative">
          <TimeText at={Date.now() - 180_000} />
        </State>
        <State of="older">
          <TimeText at="2025-03-04T09:00:00Z" />
        </State>
        <State of="exact">
          <TimeText at="2026-11-24T09:12:44Z" exact />
        </State>
      </Specimen>
      <Specimen name="NumberText">
        <State of="integer">
          <NumberText value={1234567} />
        </State>
        <State of="percent">
          <NumberText value={0.125} form="percent" />
        </State>
        <State of="compact">
          <NumberText value={1234567} form="compact" />
        </State>
      </Specimen>
      <Specimen name="Markdown">
        <State of="line">
          <MarkdownLine text="Use **this** flag and its `variant`." />
        </State>
        <State of="paragraphs and a list">
          <Markdown text={MARKDOWN} />
        </State>
      </Specimen>
      <Specimen name="Avatar">
        <State of="people and machines">
          <span className={styles.states}>
            {['Ada Lovelace', 'Grace Hopper', 'alan@example.com', 'Edsger', 'barbara'].map((name) => (
              <Avatar key={name} name={name} size={24} />
            ))}
            <Avatar name="deploy-bot" machine size={24} />
          </span>
        </State>
      </Specimen>
      <Specimen name="CodeBlock">
        <State of="with a title" wide>
          <CodeBlock code={SNIPPET} title="app.ts" label="the snippet" />
        </State>
        <State of="one line" wide>
          <CodeBlock code="curl http://localhost:4242/health" label="the health check" />
        </State>
      </Specimen>
    </>
  );
}
