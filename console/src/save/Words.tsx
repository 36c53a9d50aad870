import { Fragment } from 'react';

const MARKS = /(`[^`]*`|\*\*[^*]+\*\*)/;

/** A sentence in which `names` are in monospace and **words** are strong. */
export function Words({ text }: { readonly text: string }) {
  return text.split(MARKS).map((part, index) => {
    const key = `${index}`;
    if (part.length > 1 && part.startsWith('`')) return <code key={key}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**') && part.endsWith('**') && part.length > 4)
      return <strong key={key}>{part.slice(2, -2)}</strong>;
    return <Fragment key={key}>{part}</Fragment>;
  });
}

/** The same sentence as plain text, for labels and notices. */
export const plain = (text: string) => text.replace(/`([^`]*)`/g, '$1').replace(/\*\*([^*]+)\*\*/g, '$1');
