import type { Format } from '../../textFormat.ts';

/** Endpoints. */
export function endpointsTexts({ number }: Format) {
  return {
    endpoints: {
      title: 'Endpoints',
      pageTitle: 'Endpoints and limits',
      all: 'All endpoints',
      alias: 'Endpoint',
      state: 'State',
      limits: 'Limits',
      atOnce: (n: number) => `${number(n)} at once`,
      perDay: (n: string) => `${n} a day`,
      perMonth: (n: string) => `${n} a month`,
      create: 'Create endpoint',
      editTitle: (alias: string) => `Endpoint ${alias}`,
      delivery: 'Limits for all endpoints together',
      changeLimits: 'Change limits',
      known: 'Endpoints known here',
      uid: 'Uid',
      service: 'Service',
      nameThere: 'Name at the service',
      created: 'Created',
    },
    create: {
      title: 'Create an endpoint at the service',
      means:
        'The service creates a new endpoint. Its uid is recorded and added to the configuration. You can’t remove it from here.',
      submit: 'Create endpoint',
      taken: (alias: string) => `The endpoint ${alias} already exists. Choose another name.`,
      running: 'Creating …',
      done: (alias: string, uid: string) => `${alias} was created with the uid ${uid}.`,
      fields: {
        name: { label: 'Name at the service', help: 'Shown to people at the service.' },
        alias: {
          label: 'Name here',
          help: 'Letters, digits, - and _. Used in folder settings and commands.',
        },
        language: { label: 'Language', help: 'Main language of the receipts, such as de-DE.' },
        account: { label: 'Account', help: 'The account to create it in, using that account’s credentials.' },
        outgoingUrl: { label: 'Response handler', help: 'Address that the service posts results to.' },
      },
    },
  };
}
