import { sha256 as hashOf } from '../support/digest.ts';
import { VERDICTS } from '../support/oracle.ts';
import type { Evidence } from './evidence.ts';
import type { KnownDocument } from './ledgerView.ts';
import { complaintsAbout } from './limitsOracle.ts';
import { DONE } from './modelResults.ts';
import type { Arrival } from './modelService.ts';

/** Milliseconds after which the agent must have seen a file: it looks twice, 15 s apart. */
const OVERLOOKED_MS = 25_000;

/** A document's new state. `copied`: hashes that ever had a copy in the spool. */
export function judgeMove(evidence: Evidence, document: KnownDocument, copied: ReadonlySet<string>): void {
  const { uid, name, sha256, state } = document;
  const arrivals = evidence.service.arrivals.filter((each) => each.uid === uid && each.name === name);
  const told = arrivals
    .filter(({ answered }) => answered !== null)
    .toSorted((a, b) => a.answeredAt - b.answeredAt);
  const last = told.at(-1)?.answered;
  const httpStatus = last?.kind === 'response' ? last.httpStatus : null;
  switch (state) {
    case 'accepted':
      if (!arrivals.some((each) => each.stored && each.sha256 === sha256))
        evidence.story.breach('P1', `${name} counts as accepted, but the service does not have it`);
      if (
        !document.hasResult &&
        !told.some(
          ({ answered, stored }) => stored && answered?.kind === 'response' && answered.httpStatus === 200,
        )
      )
        evidence.story.breach('P1', `${name} counts as accepted, but the service never said so`);
      break;
    case 'failed':
      if (httpStatus === null || !VERDICTS.has(httpStatus))
        evidence.story.breach(
          'P5',
          `${name} failed without a verdict from the service (${httpStatus ?? 'no answer'})`,
        );
      if (arrivals.some(({ stored }) => stored))
        evidence.story.breach('P5', `${name} counts as failed, but the service has it`);
      break;
    case 'unconfirmed':
      if (httpStatus === null || httpStatus < 400 || httpStatus >= 500)
        evidence.story.breach(
          'P5',
          `${name} is unconfirmed without a refusal (${httpStatus ?? 'no answer'})`,
        );
      break;
    case 'lost':
      judgeLost(evidence, document, copied);
      break;
    case 'queued':
    case 'uploading':
      break;
  }
}

function judgeLost(evidence: Evidence, { name, sha256 }: KnownDocument, copied: ReadonlySet<string>): void {
  if (evidence.state.copies.has(sha256))
    evidence.story.breach('P1', `${name} counts as lost, but its copy is in the spool`);
  else if (copied.has(sha256))
    evidence.story.breach('P1', `${name} is lost although it had a copy in the spool`);
  for (const share of evidence.shares) {
    for (const [path, file] of share.content) {
      const lies = evidence.timeline.now - file.since;
      const isKnownPlace = evidence.view.placesOf.get(sha256)?.has(`${share.path}/${path}`);
      if (isKnownPlace && lies > OVERLOOKED_MS && hashOf(file.bytes) === sha256)
        evidence.story.breach('P1', `${name} counts as lost, but is at ${share.path}/${path}`);
    }
  }
}

/** Checks an upload request that has arrived at the service. */
export function judgeArrival(evidence: Evidence, arrival: Arrival): void {
  const { uid, name, sha256 } = arrival;
  const document = [...evidence.view.documents.values()].find(
    (each) => each.uid === uid && each.name === name,
  );
  if (!document) {
    evidence.story.breach('P2', `${name} was sent before its name was durable`);
    return;
  }
  if (document.sha256 !== sha256)
    evidence.story.breach('P2', `${name} was sent with the bytes of another image`);
  if (document.state === 'accepted')
    evidence.story.breach('P2', `${name} was sent again after its acceptance`);
  const { arrivals } = evidence.service;
  if (arrivals.some((each) => each.uid === uid && each.sha256 === sha256 && each.name !== name))
    evidence.story.breach('P2', `one image was sent under two names, ${name} among them`);
  if (document.begun < arrivals.filter((each) => each.uid === uid && each.name === name).length)
    evidence.story.breach('P6', `a request for ${name} was sent before it was recorded`);
  if (!evidence.office.wasWhole(sha256))
    evidence.story.breach(
      'P1',
      `${name} was sent, but is not a complete image: ${evidence.office.unfit.get(sha256) ?? 'torn'}`,
    );
  for (const complaint of complaintsAbout(arrival, arrivals, evidence.plan, evidence.lives))
    evidence.story.breach('P6', complaint);
}

/** Checks that are only possible at the end. */
export function judgeEnd(evidence: Evidence): void {
  for (const { uid, name, outcomes, state, status, hasResult } of evidence.view.documents.values()) {
    if (hasResult && (state === 'unconfirmed' || state === 'lost'))
      evidence.story.breach('P1', `${name} is ${state}, but a result shows that the service has it`);
    if (hasResult && state === 'accepted' && status !== DONE)
      evidence.story.breach('P1', `${name} has the status ${status}, but its result said ${DONE}`);
    const stored = evidence.service.arrivals.filter(
      (each) => each.uid === uid && each.name === name && each.stored,
    );
    const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
    if (stored.length - 1 > unknown)
      evidence.story.breach(
        'P2',
        `${name} was stored ${stored.length} times, but only ${unknown} answers count as lost`,
      );
  }
}
