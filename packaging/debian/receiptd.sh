#!/bin/sh
exec /usr/lib/receiptd/node /usr/lib/receiptd/dist/receiptd.cjs "$@"
