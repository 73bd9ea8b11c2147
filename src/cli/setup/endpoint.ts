import type { Config } from '../../config/config.ts';
import { wrongEndpointName } from '../../core/domain/endpointRequest.ts';
import { plain, says } from '../../core/domain/setupWords.ts';
import { createdHere } from '../endpoint.ts';
import { sentence, wrongUid } from './checks.ts';
import { DEFAULT_ALIAS } from './plan.ts';
import type { PromptChoice } from './prompts.ts';
import type { Practice } from './service.ts';
import type { Talk } from './talk.ts';

export interface EndpointAnswer {
  readonly alias: string;
  /** Null if it still has to be created. */
  readonly uid: string | null;
  /** Chosen explicitly, so an existing folder is rerouted to it. */
  readonly isExplicit: boolean;
  readonly create: { readonly name: string; readonly language: string | undefined } | null;
}

/**
 * Asks for the endpoint that the folder feeds. `isChecked`: the service can be asked; otherwise none can be created.
 * `config`: as planned so far; only address and state directory matter.
 */
export async function endpointStep(
  talk: Talk,
  config: Config,
  { practice, isChecked }: { readonly practice: Practice | null; readonly isChecked: boolean },
): Promise<EndpointAnswer> {
  const { given, found, ask, say } = talk;
  const before = found.before;
  const own = before?.config.endpoints ?? [];
  const alias = given.endpointAlias ?? own[0]?.alias ?? DEFAULT_ALIAS;
  const there = (uid: string, at = alias, isExplicit = false): EndpointAnswer => ({
    alias: at,
    uid,
    isExplicit,
    create: null,
  });
  // Configured uids are useless at another service. At the same one, folders keep their endpoints.
  const isInUse =
    before !== null &&
    !before.isExample &&
    practice === null &&
    before.config.service.baseUrl === config.service.baseUrl;
  if (given.endpointUid !== undefined) {
    const known = own.find(({ key }) => key.uid === given.endpointUid)?.alias;
    const at = given.endpointAlias ?? known ?? (await another());
    // Don't guess which folder should feed an endpoint that other folders already feed.
    const isNew = own.every((each) => each.alias !== at);
    return there(given.endpointUid, at, isNew || given.folder !== undefined);
  }
  if (practice !== null) return there(practice.endpointUid);
  const configured = own.filter(({ key }) => !before?.isExample && key.baseUrl === config.service.baseUrl);
  const created = (await createdHere(config)).filter(
    ({ endpoint, name }) =>
      name !== null &&
      endpoint.baseUrl === config.service.baseUrl &&
      !configured.some(({ key }) => key.uid === endpoint.uid),
  );
  const [first] = configured;
  if (given.createEndpoint !== undefined) {
    // Reuse an existing endpoint, because each success would create another one.
    if (first !== undefined) return there(first.key.uid, first.alias);
    const same = created.find(({ name }) => name === given.createEndpoint);
    if (same !== undefined) return there(same.endpoint.uid);
    const { createEndpoint: name, language } = given;
    return { alias, uid: null, isExplicit: true, create: { name, language } };
  }
  if (ask === null) return there(first?.key.uid ?? '', first?.alias);
  const choices: PromptChoice<EndpointAnswer | 'uid' | 'create'>[] = [
    ...configured.map((each) => ({
      label: says('endpoint.keep', { alias: each.alias }),
      value: there(each.key.uid, each.alias, true),
      about: plain(each.key.uid),
    })),
    ...created.map(({ endpoint, name }) => ({
      label: says('endpoint.created', { name: name ?? '' }),
      value: there(endpoint.uid),
      about: plain(endpoint.uid),
    })),
    {
      label: says('endpoint.uidKnown'),
      value: 'uid' as const,
      about: says('endpoint.uidAbout'),
    },
    ...(isChecked ? [{ label: says('endpoint.create'), value: 'create' as const }] : []),
  ];
  say(says('endpoint.what'));
  const choice = choices.length === 1 ? 'uid' : await ask.choose(says('endpoint.which'), choices);
  if (choice === 'create') {
    const name = await ask.text(says('endpoint.name'), {
      otherwise: 'Receipts',
      wrong: sentence(wrongEndpointName),
    });
    return {
      alias: await another(),
      uid: null,
      isExplicit: true,
      create: { name, language: given.language },
    };
  }
  if (choice !== 'uid') {
    const isKept = configured.some(({ alias: at }) => at === choice.alias && choice.isExplicit);
    return isKept ? choice : { ...choice, alias: await another(), isExplicit: true };
  }
  const uid = await ask.text(says('endpoint.uid'), { wrong: sentence(wrongUid) });
  say(says('endpoint.unconfirmed'));
  const known = own.find(({ key }) => key.uid === uid)?.alias;
  return there(uid, known ?? (await another()), true);

  /** Alias for an endpoint that is not configured yet. */
  async function another(): Promise<string> {
    if (given.endpointAlias !== undefined || !isInUse) return alias;
    const free = freeAlias(own.map((each) => each.alias));
    if (ask === null) return free;
    return ask.choose(says('endpoint.replaceOrAdd', { alias }), [
      {
        label: says('endpoint.add', { alias: free }),
        value: free,
        about: says('endpoint.addAbout', { alias }),
      },
      {
        label: says('endpoint.replace', { alias }),
        value: alias,
        about: says('endpoint.replaceAbout'),
      },
    ]);
  }
}

function freeAlias(taken: readonly string[]): string {
  for (let number = 2; ; number += 1) {
    const alias = `${DEFAULT_ALIAS}-${number}`;
    if (!taken.includes(alias)) return alias;
  }
}
