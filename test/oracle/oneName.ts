/** P2: one image, one name; durable before the first byte is sent, used by every attempt. */
import type { Rule } from './rule.ts';
import { keyOf, type Arrival, type Seen } from './seen.ts';

export const ONE_NAME: readonly Rule[] = [
  {
    promise: 'P2',
    rule: 'one image, one name',
    on: {
      *entry(_, seen) {
        const document = seen.books.news.named?.document;
        if (!document) return;
        const { uid, name, sha256 } = document;
        yield* named(seen, uid, name, sha256);
        // A page has one name, however often it is drawn, unless the image under that name can't be sent.
        for (const { file, page } of seen.pagesBehind.get(sha256) ?? [])
          for (const other of seen.pageDocuments(uid, file, page))
            if (other.sha256 !== sha256 && other.state !== 'failed' && other.state !== 'lost')
              yield `page ${page} of a file was named ${other.name} and ${name}`;
      },
      *request({ request: { uid, name, sha256 } }, seen) {
        if (sha256 !== null) yield* named(seen, uid, name, sha256);
      },
    },
    *end(seen) {
      const images = new Map<string, string | null>();
      for (const { uid, name, sha256 } of seen.standings()) {
        const [key, other] = [keyOf(uid, sha256), images.get(keyOf(uid, sha256))];
        if (other !== undefined) yield `image ${key} has two documents, ${other} and ${name}`;
        images.set(key, name);
        if (name !== null) yield* named(seen, uid, name, sha256);
      }
      for (const { uid, name, sha256 } of seen.stored()) {
        yield* named(seen, uid, name, sha256);
        if (!images.has(keyOf(uid, sha256)))
          yield `image ${keyOf(uid, sha256)} is stored as ${name}, but the ledger does not know it`;
      }
    },
  },
  {
    promise: 'P2',
    rule: 'named before it is sent',
    on: {
      *entry(_, seen) {
        for (const id of seen.books.news.moved)
          if (!seen.books.documents.has(id)) yield `document ${id} changed its state, but was never named`;
      },
      *request({ request: { uid, name } }, seen) {
        if (seen.recorded?.documentNamed(uid, name) === undefined && seen.recorded)
          yield `${name} was sent before its name was durable`;
      },
    },
  },
  {
    promise: 'P2',
    rule: 'sent with its own bytes',
    on: {
      *request({ request: { uid, name, sha256 } }, seen) {
        const document = seen.recorded?.documentNamed(uid, name);
        if (document && sha256 !== null && document.sha256 !== sha256)
          yield `${name} was sent with the bytes of another image`;
      },
      *changed({ id }, seen) {
        yield `the bytes of ${seen.arrival(id).name} changed while they were sent`;
      },
    },
    *end(seen) {
      const hashOf = new Map(seen.standings().map(({ uid, name, sha256 }) => [keyOf(uid, name), sha256]));
      for (const { uid, name, sha256 } of seen.arrivals) {
        const hash = hashOf.get(keyOf(uid, name));
        if (sha256 !== null && hash !== undefined && hash !== sha256)
          yield `${name} is another image in the ledger than the one that was sent`;
      }
    },
  },
  {
    promise: 'P2',
    rule: 'not sent again after its acceptance',
    on: {
      *entry(_, seen) {
        const { began } = seen.books.news;
        if (began?.before === 'accepted') yield `${began.name} is sent again after its acceptance`;
      },
      *request({ request: { uid, name, life, askedAt } }, seen) {
        if (seen.books.documentNamed(uid, name)?.state === 'accepted')
          yield `${name} was sent again after its acceptance`;
        const isAnswered = ({ answer, answeredAt, ...each }: Arrival): boolean =>
          each.life === life &&
          answer?.status === 200 &&
          answer.isRecord &&
          answer.reached === true &&
          answeredAt < askedAt;
        if (seen.arrivalsOf(uid, name).some(isAnswered))
          yield `${name} was sent again by the process that already had the answer that it was accepted`;
      },
    },
  },
  {
    promise: 'P2',
    rule: 'sent again only after a lost answer, and marked',
    *end(seen) {
      const marked = new Map(seen.standings().map((each) => [keyOf(each.uid, each.name), each]));
      for (const { uid, name, tries } of seen.stored()) {
        const lost = seen.books.documentNamed(uid, name);
        const unknown = lost ? lost.unknown + Math.max(0, lost.begun - lost.ended) : Infinity;
        if (tries - 1 > unknown)
          yield `${name} was stored ${tries} times, but only ${unknown} answers were lost`;
        if (tries > 1 && marked.get(keyOf(uid, name))?.answerLost === false)
          yield `${name} was stored ${tries} times, but the ledger records no lost answer`;
      }
    },
  },
];

/** A name and an image belong together for good, whoever says so. */
function* named(seen: Seen, uid: string, name: string, sha256: string): Generator<string> {
  const [image, title] = [keyOf(uid, sha256), keyOf(uid, name)];
  const first = seen.nameOf.get(image) ?? name;
  if (first !== name) yield `image ${image} was named ${first}, then ${name}`;
  const other = seen.imageOf.get(title) ?? image;
  if (other !== image) yield `the name ${name} was given to two images`;
  seen.nameOf.set(image, first);
  seen.imageOf.set(title, other);
}
