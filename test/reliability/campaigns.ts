export interface Campaign {
  readonly name: string;
  /** The folder of its `main.ts`. */
  readonly folder: string;
  readonly what: string;
  /** The test that runs a few seconds of it every time. */
  readonly shortForm: string;
}

export const CAMPAIGNS: readonly Campaign[] = [
  {
    name: 'simulate',
    folder: 'simulation',
    what: 'the pipeline on a model of the world, seed by seed',
    shortForm: 'test/reliability/simulation/simulation.test.ts',
  },
  {
    name: 'kill',
    folder: 'kill',
    what: 'kill -9 of the built agent at every ledger write, or a power failure (--power)',
    shortForm: 'test/reliability/kill/kill.test.ts',
  },
  {
    name: 'fleet',
    folder: 'fleet',
    what: 'agents on one shared ledger, killed, frozen and cut off',
    shortForm: 'test/e2e/fleet/campaign.test.ts',
  },
  {
    name: 'files',
    folder: 'files',
    what: 'random operations on files in watched folders',
    shortForm: 'test/reliability/files/files.test.ts',
  },
  {
    name: 'answers',
    folder: 'answers',
    what: 'a service that answers arbitrarily',
    shortForm: 'test/reliability/answers/answers.test.ts',
  },
  {
    name: 'images',
    folder: 'images',
    what: 'damaged and hostile images',
    shortForm: 'test/reliability/images/images.test.ts',
  },
  {
    name: 'pages',
    folder: 'pages',
    what: 'damaged multi-page files, given to the process that splits them',
    shortForm: 'test/reliability/pages/pages.test.ts',
  },
  {
    name: 'soak',
    folder: 'soak',
    what: 'a busy office for as long as you like',
    shortForm: 'test/reliability/soak/soak.test.ts',
  },
  {
    name: 'listings',
    folder: 'listings',
    what: 'every filter of every list, page by page, over an office of 400,000 files',
    shortForm: 'test/ledger/sqlite/contract.test.ts',
  },
  {
    name: 'cases',
    folder: 'cases',
    what: 'every case of the tests that otherwise choose some, and property tests with another seed',
    shortForm: 'test/e2e/messyOffice.test.ts',
  },
  {
    name: 'inventory',
    folder: '../inventory',
    what: 'ignores row after row of what users can do',
    shortForm: 'test/inventory/inventory.test.ts',
  },
];
