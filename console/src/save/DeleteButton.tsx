import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { MayNot } from '../data/may.ts';
import { Button } from '../kit/Button.tsx';

interface DeleteButtonProps {
  readonly label: string;
  /** What the second press says. */
  readonly sure: string;
  readonly mayNot: MayNot;
  readonly onDelete: () => void;
}

/** Deletes at the second press. For what an undo brings back. */
export function DeleteButton({ label, sure, mayNot, onDelete }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Button
      kind={isAsking ? 'danger' : 'quiet'}
      icon={<Trash2 aria-hidden />}
      reason={mayNot}
      onClick={isAsking ? onDelete : () => setAsking(true)}
    >
      {isAsking ? sure : label}
    </Button>
  );
}
