import { Fragment } from 'react';
import { Link } from 'wouter';

const MARKS = /(`[^`]*`|\*\*[^*]+\*\*)/;

interface WordsProps {
  readonly text: string;
  /** Where the first name leads to. */
  readonly first?: { readonly href: string; readonly className?: string | undefined } | undefined;
}

/** A sentence in which `names` are in monospace and **words** are strong. */
export function Words({ text, first }: WordsProps) {
  const linkedAt = first ? text.split(MARKS).findIndex((part) => part.length > 1 && part.startsWith('`')) : -1;
  return text.split(MARKS).map((part, index) => {
    const key = `${index}`;
    if (part.length > 1 && part.startsWith('`')) {
      const name = <code key={key}>{part.slice(1, -1)}</code>;
      return first && index === linkedAt ? (
        <Link key={key} {...first}>
          {name}
        </Link>
      ) : (
        name
      );
    }
    if (part.startsWith('**') && part.endsWith('**') && part.length > 4)
      return <strong key={key}>{part.slice(2, -2)}</strong>;
    return <Fragment key={key}>{part}</Fragment>;
  });
}

/** The same sentence as plain text, for labels and notices. */
export const plain = (text: string) => text.replace(/`([^`]*)`/g, '$1').replace(/\*\*([^*]+)\*\*/g, '$1');
