import { z } from 'zod';
import { PROTOCOL, errorBody, type Operation } from '../protocol/protocol.ts';
import { UPLOADS } from '../protocol/sending.ts';
import { STREAMS, type StreamDescription } from '../protocol/streams.ts';

type JsonSchema = Record<string, unknown>;

/** The control interface as OpenAPI 3.1; docs/openapi.json is generated from it. */
export function openApi(version: string): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
    collected(z.toJSONSchema(schema, { io }), schemas);
  const error = schemaOf(errorBody, 'output');
  const refused = {
    description: 'Refused: what is wrong, what to do, and a stable code.',
    content: { 'application/json': { schema: error } },
  };
  const operations = (Object.keys(PROTOCOL) as Operation[]).map((name) => {
    const { says, request, response } = PROTOCOL[name];
    return [
      `/v1/${name}`,
      {
        post: {
          operationId: name,
          summary: says,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(request, 'input') } },
          },
          responses: {
            200: {
              description: 'Done.',
              content: { 'application/json': { schema: schemaOf(response, 'output') } },
            },
            default: refused,
          },
        },
      },
    ] as const;
  });
  const streams = Object.entries(STREAMS).map(([name, stream]) => [
    stream.path,
    streamPath(name, stream, refused),
  ]);
  const uploads = Object.entries(UPLOADS).map(([name, { path, says, query, response }]) => [
    path,
    {
      post: {
        operationId: name,
        summary: says,
        parameters: queryOf(schemaOf(query, 'input')),
        requestBody: {
          required: true,
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        responses: {
          200: {
            description: 'Done.',
            content: { 'application/json': { schema: schemaOf(response, 'output') } },
          },
          default: refused,
        },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'receiptd control interface',
      version,
      description:
        'The interface of the running agent. The command line uses the control socket in the state directory; the console uses HTTP with a session. An operation is a POST request with a JSON object, or with a file, and its answer is a JSON object.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The control socket, or the address of the console.' }],
    security: [{}, { session: [] }],
    paths: Object.fromEntries([...operations, ...uploads, ...streams]),
    components: {
      schemas,
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'receiptd-<port>',
          description: 'Over HTTP only. Whoever can open the control socket needs no session.',
        },
      },
    },
  };
}

function streamPath(
  name: string,
  { path, says, types, query }: StreamDescription,
  refused: JsonSchema,
): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: 'path',
    required: true,
    description: 'Number of the document.',
    schema: { type: 'integer' },
  }));
  const inQuery = Object.entries(query).map(([param, description]) => ({
    name: param,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  return {
    get: {
      operationId: name,
      summary: says,
      parameters: [...inPath, ...inQuery],
      responses: {
        200: {
          description: 'What was asked for.',
          content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
        },
        default: refused,
      },
    },
  };
}

/** The parameters that a schema of a query names. */
function queryOf({ properties, required }: JsonSchema): JsonSchema[] {
  const names = required as readonly string[];
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: names.includes(name),
      description,
      schema,
    }),
  );
}

/** Moves a schema's definitions to `components/schemas`, collected in `into`. */
function collected(schema: JsonSchema, into: Record<string, JsonSchema>): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(text) as JsonSchema & {
    readonly $defs?: Record<string, JsonSchema>;
  };
  for (const [name, { id: __, ...definition }] of Object.entries($defs)) into[name] = definition;
  const { id, ...own } = rest;
  if (typeof id !== 'string') return rest;
  into[id] = own;
  return { $ref: `#/components/schemas/${id}` };
}
