import type { Texts } from '../languages/en.ts';
import type { FieldGroups } from './fields.ts';

/** A page of settings. Folders, endpoints and sending have pages of their own. */
export interface SettingsSection {
  readonly name: SectionName;
  /** Keys of the file; those that only the file can change are shown below the form. */
  readonly keys: readonly string[];
  readonly groups: FieldGroups;
}

type SectionName = keyof Texts['settings']['sections'];

export const SECTIONS: readonly SettingsSection[] = [
  {
    name: 'alerts',
    keys: ['alerts', 'language'],
    groups: {
      mail: [
        { id: 'mailServer', key: 'alerts.email.server', kind: 'text', initial: 'none' },
        { id: 'mailTo', key: 'alerts.email.to', kind: 'lines' },
        { id: 'mailUser', key: 'alerts.email.user', kind: 'text', initial: 'none' },
        { id: 'mailFrom', key: `alerts.email.from`, kind: 'text', initial: 'receiptd@…' },
      ],
      otherChannels: [
        { id: 'webhookUrl', key: 'alerts.webhook.url', kind: 'text', initial: 'none' },
        { id: 'desktop', key: 'alerts.desktop', kind: 'yes', initial: 'false' },
        { id: 'eventLog', key: 'alerts.eventLog', kind: 'yes', initial: 'false' },
      ],
      when: [
        { id: 'language', kind: 'choice', options: ['en', 'de'], initial: 'en' },
        { id: 'alertAfter', key: 'alerts.after', kind: 'text', initial: '2m' },
        { id: 'alertSilent', key: 'alerts.silentAfter', kind: 'text', initial: 'auto' },
        { id: 'digest', key: 'alerts.digest', kind: 'text', initial: 'off' },
        { id: 'quietHours', key: 'alerts.quietHours', kind: 'lines', initial: 'none', word: 'none' },
      ],
    },
  },
  {
    name: 'results',
    keys: ['results'],
    groups: {
      results: [
        { id: 'resultSize', key: 'results.maxSize', kind: 'text', initial: '1MB' },
        { id: 'resultRate', key: 'results.rate', kind: 'text', initial: '2000/s' },
        { id: 'resultColumns', key: 'results.columns', kind: 'pairs' },
      ],
    },
  },
  { name: 'monitoring', keys: ['monitoring'], groups: {} },
  {
    name: 'intake',
    keys: ['intake'],
    groups: {
      intake: [
        { id: 'reconcileEvery', key: 'intake.reconcileEvery', kind: 'text', initial: '60s' },
        { id: 'pollEvery', key: 'intake.pollEvery', kind: 'text', initial: '5s' },
        { id: 'takeOverAfter', key: 'intake.takeOverAfter', kind: 'text', initial: '10m' },
        { id: 'confirmAbove', key: 'intake.confirmAbove', kind: 'number', initial: '1000' },
      ],
    },
  },
  {
    name: 'storage',
    keys: ['spool', 'storage', 'log'],
    groups: {
      copies: [
        { id: 'spool', kind: 'choice', options: ['auto', 'always', 'never'], initial: 'auto' },
        { id: 'spoolLimit', key: 'storage.spoolLimit', kind: 'text', initial: '5GB' },
        { id: 'keepFailed', key: 'storage.keepFailed', kind: 'text', initial: '24d' },
        { id: 'reserve', key: 'storage.reserve', kind: 'text', initial: '8MB' },
      ],
      backups: [
        { id: 'backupEvery', key: 'storage.backupEvery', kind: 'text', initial: '1d' },
        { id: 'backups', key: 'storage.backups', kind: 'number', initial: '7' },
      ],
      log: [
        {
          id: 'logLevel',
          key: 'log.level',
          kind: 'choice',
          options: ['debug', 'info', 'warn', 'error'],
          initial: 'info',
        },
        { id: 'logSize', key: 'log.maxSize', kind: 'text', initial: '10MB' },
        { id: 'logFiles', key: 'log.maxFiles', kind: 'number', initial: '5' },
      ],
    },
  },
  {
    name: 'console',
    keys: ['console'],
    groups: {
      console: [
        { id: 'hosts', key: 'console.hosts', kind: 'lines' },
        { id: 'thumbnails', key: 'console.thumbnails', kind: 'text', initial: '50MB' },
      ],
    },
  },
  {
    name: 'service',
    keys: ['service', 'credentials', 'accounts'],
    groups: {
      service: [
        { id: 'uploadContentType', key: 'service.uploadContentType', kind: 'text', initial: 'auto' },
        { id: 'answerLimit', key: 'service.answerLimit', kind: 'text', initial: '64kB' },
      ],
      timeouts: [
        { id: 'timeoutConnect', key: 'service.timeouts.connect', kind: 'text', initial: '10s' },
        { id: 'timeoutProgress', key: 'service.timeouts.progress', kind: 'text', initial: '30s' },
        { id: 'timeoutHeaders', key: 'service.timeouts.headers', kind: 'text', initial: '60s' },
        { id: 'timeoutBody', key: 'service.timeouts.body', kind: 'text', initial: '60s' },
      ],
    },
  },
  { name: 'machine', keys: ['ledger', 'stateDir', 'control'], groups: {} },
];
