import { noteText, type Note } from '../../core/domain/note.ts';
import { iso } from '../../core/domain/words.ts';
import type { NoteJson } from './status.ts';

export function noteJson(note: Note): NoteJson {
  const text = noteText(note);
  switch (note.kind) {
    case 'hours':
    case 'spent':
      return { text, about: { ...note, until: iso(note.until) } };
    case 'paused':
      return { text, about: { ...note, since: note.since === null ? null : iso(note.since) } };
    case 'restart':
      return { text, about: { ...note, keys: [...note.keys] } };
    case 'fleet':
      return { text, about: { kind: 'fleet', agents: note.agents.length } };
    default:
      return { text, about: note };
  }
}
