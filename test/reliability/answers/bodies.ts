/** Bodies of answers. Each is built to be right, possibly right, or wrong. */
import type { Plan, Route } from './plan.ts';

export interface Context {
  readonly route: Route;
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  readonly secret: string;
}

/** `maybe`: careful readers disagree (a byte order mark, a field twice), so it never causes a breach. */
export type Worth = 'right' | 'maybe' | 'wrong';

export interface Body {
  readonly bytes: Buffer;
  readonly worth: Worth;
  /** Repeated forever after `bytes`; null if the body ends. */
  readonly endless: Buffer | null;
  /** The token in it. */
  readonly token: unknown;
}

type Fields = Record<string, unknown>;

/** Fields and values of the interface, sections 2.1 to 2.4. */
export function fieldsOf({ route, name, uid, token }: Context): Fields {
  switch (route) {
    case 'upload':
      return { name, endpointUid: uid, status: 'PROCESSING' };
    case 'token':
      return { access_token: token, expires_in: 86_400, scope: '', token_type: 'Bearer' };
    case 'whoami':
      return { company: 'Office', message: 'You are authenticated.' };
    case 'create':
      return {
        name,
        uid,
        outgoingUrl: 'https://office.example/',
        dominantLanguage: 'de-DE',
        createdAt: '2026-03-02T09:00:00.000+01:00',
      };
  }
}

/** Whether a careful reader may accept these fields as the right answer. */
function isRight(context: Context, fields: Fields): Worth {
  const { route, name, uid } = context;
  const isText = (value: unknown): boolean => typeof value === 'string';
  switch (route) {
    case 'upload':
      return fields['name'] === name && fields['endpointUid'] === uid && isText(fields['status'])
        ? 'right'
        : 'wrong';
    case 'token': {
      const token = fields['access_token'];
      if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) return 'wrong';
      if (token.length > 4096) return 'maybe';
      return Object.keys(fields).length < 4 || fields['token_type'] !== 'Bearer' ? 'maybe' : 'right';
    }
    case 'whoami':
      return isText(fields['company']) && isText(fields['message']) ? 'right' : 'wrong';
    case 'create': {
      if (!isText(fields['uid']) || fields['uid'] === '') return 'wrong';
      return isText(fields['name']) && isText(fields['outgoingUrl']) ? 'right' : 'maybe';
    }
  }
}

const DEEP = 20_000;

/** Values of the wrong type, or absurd ones. */
function oddValues({ token, secret, name, uid }: Context): unknown[] {
  return [
    null,
    true,
    0,
    -1,
    1e308,
    1e-300,
    '',
    ' ',
    [],
    {},
    [name],
    { toString: name },
    'other',
    token,
    secret,
    `Bearer ${token}`,
    `${token}\r\nx-evil: 1`,
    `${token}\u0000`,
    `${token} x`,
    `t\u00f6ken`,
    '\u0007\u001b[31m',
    'x'.repeat(5_000),
    'x'.repeat(100_000),
    'x'.repeat(2_000_000),
    Number.MAX_SAFE_INTEGER + 1,
    '86400',
    '1e400',
    'Infinity',
    -0.5,
    'PROCESSING\u0000',
    uid.toUpperCase(),
    '\ud800',
  ];
}

/** Texts that resemble `text`, most of which differ from it. */
function lookalikes(text: string): string[] {
  return [
    text.normalize('NFD'),
    text.normalize('NFC'),
    text.normalize('NFKC'),
    text.toUpperCase(),
    text.toLowerCase(),
    `${text} `,
    ` ${text}`,
    `${text}\u200b`,
    `${text}\u0000`,
    text.replace('a', '\u0430'),
    text.replace('e', '\u0435'),
    text.replaceAll('-', '\u2010'),
    text.slice(0, -1),
    `${text}.jpg`,
    encodeURIComponent(text),
    encodeURIComponent(text).replaceAll('%20', '+'),
    JSON.stringify(text),
    Buffer.from(text).toString('latin1'),
    Array.from(text).reverse().join(''),
    `${text}\n`,
    text.replaceAll('\ufffd', '\udc00'),
    `\ufeff${text}`,
  ];
}

export function bodyOf(plan: Plan, context: Context): Body {
  const fields = fieldsOf(context);
  const keys = Object.keys(fields);
  const key = keys[plan.field % keys.length] as string;
  const values = oddValues(context);
  const value = values[plan.value % values.length];
  const made = (
    text: string | Buffer,
    worth: Worth,
    used: Fields = fields,
    endless: Buffer | null = null,
  ): Body => ({
    bytes: typeof text === 'string' ? Buffer.from(text) : text,
    worth,
    endless,
    token: used['access_token'],
  });
  const plain = JSON.stringify(fields);
  /** The right fields and additional ones, as JSON text. */
  const beside = (more: string, worth: Worth = 'right'): Body => made(`{${more},${plain.slice(1)}`, worth);
  const changed = (used: Fields): Body => made(JSON.stringify(used), isRight(context, used), used);
  const wrong = (text: string | Buffer): Body => made(text, 'wrong');

  switch (plan.shape) {
    case 'right':
      return made(plain, 'right');
    case 'pretty':
      return made(JSON.stringify(fields, null, '\t'), 'right');
    case 'padded':
      return made(`\r\n ${plain}${' \r\n\t'.repeat(2000)}`, 'right');
    case 'escaped':
      return made(JSON.stringify(fields).replace(/[^\x20-\x7e]|[a-z]/g, escaped), 'right');
    case 'extra':
      return beside(`"pages":[{"name":"x","status":null}],"\\u0000":"","Name":"x","name ":7,"data":${plain}`);
    case 'deepExtra':
      return beside(`"deep":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`);
    case 'numbersExtra':
      return beside(`"a":1e999,"b":-${'9'.repeat(5000)},"c":1e-999,"d":0.${'1'.repeat(3000)}`);
    case 'protoExtra':
      return beside(`"__proto__":{"name":"x","status":7},"constructor":null,"toString":1,"hasOwnProperty":1`);
    case 'bigExtra':
      return beside(`"text":"${'receipt '.repeat(60_000)}"`);
    case 'echo':
      return beside(`"token":"${context.token}","asked":${JSON.stringify(context.secret)}`);
    case 'tooBig':
      return beside(`"text":"${'receipt '.repeat(2_200_000)}"`, 'maybe');
    case 'bom':
      return made(`\ufeff${plain}`, 'maybe');
    case 'invalidUtf8Extra':
      return made(
        Buffer.concat([
          Buffer.from('{"x":"'),
          Buffer.from([0xff, 0xc0, 0x80]),
          Buffer.from(`",${plain.slice(1)}`),
        ]),
        'maybe',
      );
    case 'duplicateLast':
      return made(`{${JSON.stringify(key)}:"other",${plain.slice(1)}`, 'maybe');
    case 'duplicateFirst': {
      const { worth } = changed({ ...fields, [key]: value });
      const text = `${plain.slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(value)}}`;
      return made(text, worth === 'right' ? 'maybe' : worth, { ...fields, [key]: value });
    }
    case 'value':
      return changed({ ...fields, [key]: value });
    case 'missing':
      return changed(Object.fromEntries(Object.entries(fields).filter(([each]) => each !== key)));
    case 'lookalike': {
      const texts = lookalikes(String(fields[key]));
      return changed({ ...fields, [key]: texts[plan.value % texts.length] });
    }
    case 'proto':
      return wrong(`{"__proto__":${plain}}`);
    case 'array':
      return wrong(`[${plain}]`);
    case 'wrapped':
      return wrong(
        `{"document":${plain},"token":"${context.token}","secret":${JSON.stringify(context.secret)}}`,
      );
    case 'asString':
      return wrong(JSON.stringify(plain));
    case 'trailing':
      return wrong(`${plain}<!-- cached -->`);
    case 'twice':
      return wrong(plain + plain);
    case 'commented':
      return wrong(`/* ok */${plain}`);
    case 'singleQuotes':
      return wrong(plain.replaceAll('"', "'"));
    case 'cutShort':
      return wrong(plain.slice(0, 1 + Math.floor((plain.length - 2) * (plan.value / 32))));
    case 'latin1':
      // Undecodable bytes are read as U+FFFD, which the name itself may contain. A new endpoint is known by its uid, not by its name.
      return made(
        Buffer.from(plain, 'latin1'),
        isAscii(plain.replaceAll('\ufffd', '')) || context.route === 'create' ? 'maybe' : 'wrong',
      );
    case 'utf16':
      return wrong(Buffer.from(plain, 'utf16le'));
    case 'html':
      return wrong(`<html><title>Sign in</title>${context.name} ${context.token} ${context.secret}</html>`);
    case 'empty':
      return wrong('');
    case 'spaces':
      return wrong(' \n');
    case 'binary':
      return wrong(Buffer.from(Array.from({ length: 700 }, (_none, at) => (at * 167 + plan.value) % 256)));
    case 'scalar':
      return wrong(JSON.stringify(value) ?? 'NaN');
    case 'deep':
      return wrong('[{"a":'.repeat(DEEP));
    case 'endless':
      return made('', 'wrong', fields, Buffer.alloc(64 * 1024, 'x'));
    case 'endlessSpaces':
      return made(plain, 'wrong', fields, Buffer.alloc(64 * 1024, ' '));
  }
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
