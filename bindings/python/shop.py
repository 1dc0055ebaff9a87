#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program with a probe: tbufctl -n 'shop:::order-done' -c ./shop.py"""

import tbuf

order_done = tbuf.Probe("shop", "order-done", id=int, item=str, cents=int)


def finish(order, item, cents):
    order_done(order, item, cents)


for number in range(1, 4):
    finish(number, "tea", 250 * number)
