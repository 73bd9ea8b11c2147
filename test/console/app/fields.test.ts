import { expect, it } from 'vitest';
import { configSchema, endpointSchema } from '../../../src/config/schema.ts';
import { folderSchema } from '../../../src/config/schemaFolder.ts';
import {
  DELIVERY_FIELDS,
  ENDPOINT_FIELDS,
  folderFields,
  TYPES,
  type Field,
} from '../../../src/console/app/settings/fields.ts';
import { IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';

const delivery = configSchema.shape.delivery.unwrap();

/** The forms are for what people change often; these are changed in the file. */
it.each<[string, object, readonly Field[], readonly string[]]>([
  ['an endpoint', endpointSchema.shape, ENDPOINT_FIELDS, ['account']],
  ['all endpoints together', delivery.shape, DELIVERY_FIELDS, ['spread', 'grace', 'parkAfter']],
  [
    'a folder',
    folderSchema.shape,
    folderFields(['office']),
    [
      'share',
      'builtInIgnores',
      'pageResolution',
      'look',
      'upright',
      'nameMaxBytes',
      'afterUploadOn',
      'afterUploadExisting',
      'needsAttention',
      'silentAfter',
    ],
  ],
])('every setting of %s has a field in its form, or is left to the file', (_, settings, fields, inFile) => {
  const inForm = new Set(fields.map(({ path: [key = ''] }) => key));
  expect([...inForm, ...inFile].toSorted()).toEqual(Object.keys(settings).toSorted());
});

it('the form of a folder offers every type of image', () => {
  expect(TYPES).toEqual([...IMAGE_TYPES]);
});
