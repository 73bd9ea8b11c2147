import { noteFact, noteText, type Note } from '../../core/domain/note.ts';
import { iso } from '../../core/domain/words.ts';
import type { NoteJson } from './status.ts';

export function noteJson(note: Note): NoteJson {
  const told = { text: noteText(note), fact: { ...noteFact(note) } };
  switch (note.kind) {
    case 'hours':
    case 'spent':
      return { ...told, about: { ...note, until: iso(note.until) } };
    case 'paused':
      return { ...told, about: { ...note, since: note.since === null ? null : iso(note.since) } };
    case 'restart':
      return { ...told, about: { ...note, keys: [...note.keys] } };
    case 'fleet':
      return { ...told, about: { kind: 'fleet', agents: note.agents.length } };
    default:
      return { ...told, about: note };
  }
}
