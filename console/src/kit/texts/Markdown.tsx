import { Fragment, type ReactNode } from 'react';
import styles from './Markdown.module.css';

const MARKS = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)\s]+\))/;
const LINK = /^\[([^\]]+)\]\(([^)\s]+)\)$/;

/** The address, if opening it can only show a page or write a mail. */
export function safeHref(href: string): string | undefined {
  return /^(https?:\/\/|mailto:)/i.test(href) || /^\/(?![/\\])/.test(href) ? href : undefined;
}

function marked(part: string): ReactNode {
  const link = LINK.exec(part);
  if (link) {
    const href = safeHref(link[2] ?? '');
    return href ? (
      <a href={href} rel="noreferrer" className={styles.link}>
        {link[1]}
      </a>
    ) : (
      link[1]
    );
  }
  if (part.length > 2 && part.startsWith('`') && part.endsWith('`')) return <code>{part.slice(1, -1)}</code>;
  if (part.length > 4 && part.startsWith('**') && part.endsWith('**')) return <strong>{part.slice(2, -2)}</strong>;
  if (part.length > 2 && part.startsWith('*') && part.endsWith('*')) return <em>{part.slice(1, -1)}</em>;
  return part;
}

/** One line of Markdown: `code`, **strong**, *emphasis* and [links](https://example.com). All else is shown as it is. */
export function MarkdownLine({ text }: { readonly text: string }) {
  return text.split(MARKS).map((part, index) => {
    const key = `${index}`;
    return <Fragment key={key}>{marked(part)}</Fragment>;
  });
}

/** The text without its marks, for names and lists. */
export const plainText = (text: string): string =>
  text.replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1').replace(/\*\*([^*]+)\*\*|`([^`]+)`/g, '$1$2');

const isItem = (line: string) => /^[-*] /.test(line);

/** Paragraphs and lists of Markdown. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={styles.text}>
      {text.split(/\n\s*\n/).map((block, index) => {
        const lines = block.split('\n').filter((line) => line.trim() !== '');
        const key = `${index}`;
        if (lines.length > 0 && lines.every(isItem)) {
          return (
            <ul key={key} className={styles.items}>
              {lines.map((line, at) => {
                const item = `${at}`;
                return (
                  <li key={item}>
                    <MarkdownLine text={line.slice(2)} />
                  </li>
                );
              })}
            </ul>
          );
        }
        return (
          <p key={key}>
            <MarkdownLine text={lines.join(' ').replace(/^#+ /, '')} />
          </p>
        );
      })}
    </div>
  );
}
