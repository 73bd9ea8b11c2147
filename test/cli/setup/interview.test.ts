import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interview } from '../../../src/cli/setup/interview.ts';
import { WentBack, type PromptChoice, type Prompts } from '../../../src/cli/setup/prompts.ts';
import { plain } from '../../../src/core/domain/setupWords.ts';

const BACK = Symbol('back');
type Typed = string | typeof BACK;

/** A person who answers as told; with nothing more to say, with what is offered. */
class Person {
  readonly asked: string[] = [];
  readonly offered: (string | undefined)[] = [];
  readonly says: Typed[];

  constructor(says: readonly Typed[]) {
    this.says = [...says];
  }

  readonly prompts: Prompts = {
    text: async (question, { otherwise } = {}) => this.#answer(question.text, otherwise),
    secret: async (question) => this.#answer(question.text, 'secret'),
    confirm: async (question, otherwise) => this.#answer(question.text, otherwise ? 'yes' : 'no') === 'yes',
    choose: async <T>(question: { text: string }, choices: readonly PromptChoice<T>[], otherwise?: T) => {
      const usual = (choices.find(({ value }) => value === otherwise) ?? choices[0])?.label.text;
      const chosen = this.#answer(question.text, usual);
      return choices.find(({ label }) => label.text === chosen)!.value;
    },
  };

  #answer(question: string, otherwise: string | undefined): string {
    this.asked.push(question);
    this.offered.push(otherwise);
    const said = this.says.shift() ?? otherwise ?? '';
    if (said === BACK) throw new WentBack('told to');
    return said;
  }
}

function meet(...says: Typed[]) {
  const person = new Person(says);
  const heard: string[] = [];
  const interview = new Interview(person.prompts, ({ text }) => void heard.push(text));
  return { person, heard, interview, ask: interview.ask! };
}

describe('an interview', () => {
  it('asks the question before again, with its answer, and keeps those before it', async () => {
    const { person, heard, interview, ask } = meet('a', 'b', BACK, 'other', 'c');
    const answers = await interview.run(async () => {
      const first = await ask.text(plain('first'));
      interview.say(plain(`${first} is taken`));
      const second = await ask.text(plain('second'), { otherwise: 'usual' });
      return [first, second, await ask.text(plain('third'))];
    });
    expect(answers).toEqual(['a', 'other', 'c']);
    expect(person.asked).toEqual(['first', 'second', 'third', 'second', 'third']);
    expect(person.offered[3]).toBe('b');
    expect(heard).toEqual(['a is taken']);
  });

  it('has no way back before its first question, which is asked again', async () => {
    const { person, interview, ask } = meet(BACK, BACK, 'a');
    expect(await interview.run(() => ask.text(plain('first')))).toBe('a');
    expect(person.asked).toEqual(['first', 'first', 'first']);
  });

  it('changes any answer in the end, and asks only what follows from it', async () => {
    const { person, interview, ask } = meet(
      'ours',
      'here',
      'fast',
      'change',
      'which practice or ours? ours',
      'practice',
      'gentle',
    );
    const choices = ['ours', 'practice'].map((value) => ({ label: plain(value), value }));
    const answers = await interview.run(async () => {
      const service = await ask.choose(plain('which practice or ours?'), choices);
      const place = await ask.text(plain('where?'));
      // Only asked for one of the services.
      const manner = service === 'practice' ? await ask.text(plain('how?')) : null;
      const pace = await ask.text(plain('how fast?'));
      const next = await interview.decide(plain('well?'), [
        { label: plain('yes'), value: 'yes' },
        { label: plain('change'), value: 'change' },
      ]);
      if (next === 'change') await interview.change();
      return { service, place, manner, pace };
    });
    expect(answers).toEqual({ service: 'practice', place: 'here', manner: 'gentle', pace: 'fast' });
    expect(person.asked.filter((question) => question === 'where?' || question === 'how fast?')).toEqual([
      'where?',
      'how fast?',
    ]);
  });

  it('asks again where an earlier answer is no longer right, or no longer offered', async () => {
    const { person, interview, ask } = meet('2', 'b', 'x', 'change', 'how many? 2', '1', 'a', 'y');
    const letters = ['a', 'b'].map((value) => ({ label: plain(value), value }));
    const answers = await interview.run(async () => {
      const count = Number(await ask.text(plain('how many?')));
      const letter = await ask.choose(plain('which?'), letters.slice(0, count));
      const word = await ask.text(plain('word?'), {
        wrong: (text) => (text === 'x' && letter === 'a' ? plain('not x') : null),
      });
      const next = await interview.decide(plain('well?'), [
        { label: plain('yes'), value: 'yes' },
        { label: plain('change'), value: 'change' },
      ]);
      if (next === 'change') await interview.change();
      return [count, letter, word];
    });
    expect(answers).toEqual([1, 'a', 'y']);
    expect(person.asked.filter((question) => question === 'word?')).toHaveLength(2);
  });

  it('takes no answer about one thing for the answer to the same question about another', async () => {
    const { interview, ask } = meet('a', 'yes', 'change', 'which? a', 'b', 'no');
    const answers = await interview.run(async () => {
      const folder = await ask.text(plain('which?'));
      interview.say(plain(`${folder} has 3 files.`));
      const sends = await ask.text(plain('send them?'));
      const next = await interview.decide(plain('well?'), [
        { label: plain('yes'), value: 'yes' },
        { label: plain('change'), value: 'change' },
      ]);
      if (next === 'change') await interview.change();
      return [folder, sends];
    });
    expect(answers).toEqual(['b', 'no']);
  });

  it('does nothing twice that was done, and undoes what is no longer wanted', async () => {
    const { interview, ask } = meet('practice', 'x', 'change', 'which? practice', 'ours', 'y');
    const done: string[] = [];
    const choices = ['practice', 'ours'].map((value) => ({ label: plain(value), value }));
    await interview.run(async () => {
      const service = await ask.choose(plain('which?'), choices);
      await interview.once(
        `open ${service}`,
        async () => void done.push(`open ${service}`),
        async () => void done.push(`close ${service}`),
      );
      const word = await ask.text(plain(`word for ${service}?`));
      await interview.once(`mail ${word}`, async () => void done.push(`mail ${word}`));
      const next = await interview.decide(plain('well?'), [
        { label: plain('yes'), value: 'yes' },
        { label: plain('change'), value: 'change' },
      ]);
      if (next === 'change') await interview.change();
    });
    await interview.close();
    expect(done).toEqual(['open practice', 'mail x', 'open ours', 'mail y', 'close ours', 'close practice']);
  });

  it('ends with what was answered last, however often the person goes back', async () => {
    const steps = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constant(BACK)),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (count, says) => {
        const { interview, ask } = meet(...says);
        let mails = 0;
        const answers = await interview.run(async () => {
          const all: string[] = [];
          for (let n = 0; n < count; n += 1) all.push(await ask.text(plain(`${n}?`), { otherwise: 'usual' }));
          await interview.once('mail', async () => void (mails += 1));
          return all;
        });
        // The same by a list and a position.
        const meant: string[] = [];
        const former = new Map<number, string>();
        for (const said of [...says, ...Array.from({ length: count }, () => null)]) {
          if (meant.length === count) break;
          if (said === BACK) {
            const last = meant.pop();
            if (last !== undefined) former.set(meant.length, last);
          } else {
            const at = meant.length;
            meant.push(said ?? former.get(at) ?? 'usual');
            former.delete(at);
          }
        }
        expect(answers).toEqual(meant);
        expect(mails).toBe(1);
      }),
    );
  });
});
