import type { Texts } from '../languages/en.ts';
import type { Field } from './fields.ts';

/** A page of settings. Folders, endpoints and sending have pages of their own. */
export interface SettingsSection {
  readonly name: SectionName;
  /** Keys of the file; those that only the file can change are shown below the form. */
  readonly keys: readonly string[];
  readonly groups: readonly {
    readonly title: keyof Texts['settings']['groups'];
    readonly fields: readonly Field[];
  }[];
}

export type SectionName = keyof Texts['settings']['sections'];

const at = (path: string): readonly string[] => path.split('.');

export const SECTIONS: readonly SettingsSection[] = [
  {
    name: 'alerts',
    keys: ['alerts'],
    groups: [
      {
        title: 'mail',
        fields: [
          { id: 'mailServer', path: at('alerts.email.server'), kind: 'text', initial: 'none' },
          { id: 'mailTo', path: at('alerts.email.to'), kind: 'lines' },
          { id: 'mailUser', path: at('alerts.email.user'), kind: 'text', initial: 'none' },
          { id: 'mailFrom', path: at(`alerts.email.from`), kind: 'text', initial: 'receiptd@…' },
        ],
      },
      {
        title: 'otherChannels',
        fields: [
          { id: 'webhookUrl', path: at('alerts.webhook.url'), kind: 'text', initial: 'none' },
          { id: 'desktop', path: at('alerts.desktop'), kind: 'yes', initial: 'false' },
          { id: 'eventLog', path: at('alerts.eventLog'), kind: 'yes', initial: 'false' },
        ],
      },
      {
        title: 'when',
        fields: [
          { id: 'alertAfter', path: at('alerts.after'), kind: 'text', initial: '2m' },
          { id: 'alertSilent', path: at('alerts.silentAfter'), kind: 'text', initial: 'auto' },
          { id: 'digest', path: at('alerts.digest'), kind: 'text', initial: 'off' },
          { id: 'quietHours', path: at('alerts.quietHours'), kind: 'lines', initial: 'none', word: 'none' },
        ],
      },
    ],
  },
  {
    name: 'results',
    keys: ['results'],
    groups: [
      {
        title: 'results',
        fields: [
          { id: 'resultSize', path: at('results.maxSize'), kind: 'text', initial: '1MB' },
          { id: 'resultRate', path: at('results.rate'), kind: 'text', initial: '2000/s' },
          { id: 'resultColumns', path: at('results.columns'), kind: 'pairs' },
        ],
      },
    ],
  },
  { name: 'monitoring', keys: ['monitoring'], groups: [] },
  {
    name: 'intake',
    keys: ['intake'],
    groups: [
      {
        title: 'intake',
        fields: [
          { id: 'reconcileEvery', path: at('intake.reconcileEvery'), kind: 'text', initial: '60s' },
          { id: 'pollEvery', path: at('intake.pollEvery'), kind: 'text', initial: '5s' },
          { id: 'takeOverAfter', path: at('intake.takeOverAfter'), kind: 'text', initial: '10m' },
          { id: 'confirmAbove', path: at('intake.confirmAbove'), kind: 'number', initial: '1000' },
        ],
      },
    ],
  },
  {
    name: 'storage',
    keys: ['spool', 'storage', 'log'],
    groups: [
      {
        title: 'copies',
        fields: [
          {
            id: 'spool',
            path: ['spool'],
            kind: 'choice',
            options: ['auto', 'always', 'never'],
            initial: 'auto',
          },
          { id: 'spoolLimit', path: at('storage.spoolLimit'), kind: 'text', initial: '5GB' },
          { id: 'keepFailed', path: at('storage.keepFailed'), kind: 'text', initial: '24d' },
          { id: 'reserve', path: at('storage.reserve'), kind: 'text', initial: '8MB' },
        ],
      },
      {
        title: 'backups',
        fields: [
          { id: 'backupEvery', path: at('storage.backupEvery'), kind: 'text', initial: '1d' },
          { id: 'backups', path: at('storage.backups'), kind: 'number', initial: '7' },
        ],
      },
      {
        title: 'log',
        fields: [
          {
            id: 'logLevel',
            path: at('log.level'),
            kind: 'choice',
            options: ['debug', 'info', 'warn', 'error'],
            initial: 'info',
          },
          { id: 'logSize', path: at('log.maxSize'), kind: 'text', initial: '10MB' },
          { id: 'logFiles', path: at('log.maxFiles'), kind: 'number', initial: '5' },
        ],
      },
    ],
  },
  {
    name: 'console',
    keys: ['console'],
    groups: [
      {
        title: 'console',
        fields: [
          { id: 'hosts', path: at('console.hosts'), kind: 'lines' },
          { id: 'thumbnails', path: at('console.thumbnails'), kind: 'text', initial: '50MB' },
        ],
      },
    ],
  },
  {
    name: 'service',
    keys: ['service', 'credentials', 'accounts'],
    groups: [
      {
        title: 'service',
        fields: [
          { id: 'uploadContentType', path: at('service.uploadContentType'), kind: 'text', initial: 'auto' },
          { id: 'answerLimit', path: at('service.answerLimit'), kind: 'text', initial: '64kB' },
        ],
      },
      {
        title: 'timeouts',
        fields: [
          { id: 'timeoutConnect', path: at('service.timeouts.connect'), kind: 'text', initial: '10s' },
          { id: 'timeoutProgress', path: at('service.timeouts.progress'), kind: 'text', initial: '30s' },
          { id: 'timeoutHeaders', path: at('service.timeouts.headers'), kind: 'text', initial: '60s' },
          { id: 'timeoutBody', path: at('service.timeouts.body'), kind: 'text', initial: '60s' },
        ],
      },
    ],
  },
  { name: 'machine', keys: ['ledger', 'stateDir', 'control'], groups: [] },
];
