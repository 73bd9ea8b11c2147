import { z } from 'zod';
import { SERVICE_ROUTES } from './target.ts';
import type { ServiceRoute } from './target.ts';

/** Which requests a rule applies to, and how often. Without `times` and `probability`, to all of them. */
const scope = {
  /** `any`: all four routes of the interface. */
  route: z.enum([...SERVICE_ROUTES, 'any']).default('upload'),
  /** Only uploads whose document name contains this. */
  nameIncludes: z.string().min(1).optional(),
  /** Applies to this many requests, then the rule is spent. */
  times: z.int().positive().optional(),
  probability: z.number().min(0).max(1).optional(),
  /** Milliseconds to wait before the answer or the cut. */
  delayMs: z.int().min(0).max(86_400_000).default(0),
};

/** `store`: do the work (keep the document, issue the token) before answering that it failed. */
const store = z.boolean().default(false);

const RULE = z
  .discriminatedUnion('kind', [
    /** The correct answer, late. */
    z.strictObject({ kind: z.literal('delay'), ...scope }),
    /** `retryAfter`: seconds as a number, or a header value verbatim (an HTTP date). */
    z.strictObject({
      kind: z.literal('status'),
      ...scope,
      store,
      status: z.int().min(200).max(599),
      retryAfter: z.union([z.int().min(0), z.string().regex(/^[\x20-\x7e]+$/)]).optional(),
      body: z.string().optional(),
    }),
    /** The connection is closed: before the body is read, halfway through it, or halfway through the answer. */
    z.strictObject({ kind: z.literal('cut'), ...scope, at: z.enum(['beforeBody', 'midBody', 'midAnswer']) }),
    /** The work is done, then the connection is closed without an answer. */
    z.strictObject({ kind: z.literal('lostAnswer'), ...scope }),
    /** Nothing more ever comes. `midAnswer` has done the work and sent half of the answer. */
    z.strictObject({
      kind: z.literal('stall'),
      ...scope,
      store,
      at: z.enum(['beforeBody', 'beforeAnswer', 'midAnswer']).default('beforeAnswer'),
    }),
    /** HTTP 200 with a web page, as a captive portal answers. */
    z.strictObject({ kind: z.literal('html'), ...scope, store }),
    /** The correct answer cut in half, in a well-formed HTTP message. Only affects 2xx answers. */
    z.strictObject({ kind: z.literal('truncatedJson'), ...scope }),
    /** Uploads only: stored, but the record names another document or endpoint. */
    z.strictObject({
      kind: z.literal('wrongRecord'),
      ...scope,
      name: z.string().default('another-document'),
      endpointUid: z.string().optional(),
    }),
    z.strictObject({
      kind: z.literal('redirect'),
      ...scope,
      store,
      status: z
        .union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)])
        .default(307),
      location: z
        .string()
        .regex(/^[\x21-\x7e]+$/)
        .default('http://elsewhere.invalid/'),
    }),
  ])
  .refine((rule) => rule.times === undefined || rule.probability === undefined, {
    error: 'a rule has "times" or "probability", not both',
  });

/** Whether the sandbox accepts this rule. */
export function isFaultRule(rule: unknown): boolean {
  return RULE.safeParse(rule).success;
}

export type FaultRule = z.input<typeof RULE>;
export type SandboxFault = z.output<typeof RULE>;

/** A rule with how often it fired, and whether it is spent. */
export type FaultReport = SandboxFault & { readonly fired: number; readonly spent: boolean };

/**
 * The rules in force, in order. The first one that matches a request and fires is applied. A rule with `probability` that does not
 * fire passes the request on to the next rules. The choice is made when the head of a request arrives, so a request that would be
 * refused anyway uses up a rule too.
 */
export class FaultBook {
  readonly #random: () => number;
  /** Aborted when the rules are replaced. */
  #inForce = new AbortController();
  #rules: { readonly fault: SandboxFault; fired: number }[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Appends rules. @throws ZodError if one is invalid; then none is added */
  add(rules: readonly unknown[]): void {
    const parsed = z.array(RULE).parse(rules);
    this.#rules.push(...parsed.map((fault) => ({ fault, fired: 0 })));
  }

  /** Ends the waiting that the rules in force have caused. */
  get over(): AbortSignal {
    return this.#inForce.signal;
  }

  /** Replaces all rules. What waits for the end of a delay goes on at once. @throws like `add`; then the old ones stay */
  replace(rules: readonly unknown[]): void {
    const parsed = z.array(RULE).parse(rules);
    this.#inForce.abort();
    this.#inForce = new AbortController();
    this.#rules = parsed.map((fault) => ({ fault, fired: 0 }));
  }

  report(): readonly FaultReport[] {
    return this.#rules.map(({ fault, fired }) => ({ ...fault, fired, spent: isSpent(fault, fired) }));
  }

  pick(route: ServiceRoute, name: string | null): SandboxFault | null {
    for (const rule of this.#rules) {
      const { fault } = rule;
      if (isSpent(fault, rule.fired)) continue;
      if (fault.route !== 'any' && fault.route !== route) continue;
      if (fault.nameIncludes !== undefined && !(name?.includes(fault.nameIncludes) ?? false)) continue;
      if (fault.probability !== undefined && this.#random() >= fault.probability) continue;
      rule.fired += 1;
      return fault;
    }
    return null;
  }
}

function isSpent(fault: SandboxFault, fired: number): boolean {
  return fault.times !== undefined && fired >= fault.times;
}
