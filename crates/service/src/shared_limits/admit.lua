-- Lets a request in and counts it, or tells why not and counts nothing; or only looks.
-- KEYS: the window; the one that those share who have no room for their own; where they are bounded,
-- all windows of the kind by when they end.
-- ARGV: most in the window, most in a second, whether it is counted, most windows of the kind, the
-- present or ''.
-- One hash is one window: seconds s<n> with counts c<n>, from `first` to before `next`; instants
-- b<n> of the last second, from `oldest` to before `newest`; the sum of the counts; the latest.
local call = redis.call
local most, most_burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local is_counted, kept_max = ARGV[3] == '1', tonumber(ARGV[4])
local now = tonumber(ARGV[5])
if not now then
    local time = call('TIME')
    now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local key, kind, ends = KEYS[1], KEYS[3], now + 902000000
if is_counted and kind and call('EXISTS', key) == 0 and call('ZCARD', kind) >= kept_max then
    key, kind = KEYS[2], nil
end
local function whole(number)
    return string.format('%.0f', number)
end
local kept = call('HMGET', key, 'latest', 'total', 'first', 'next', 'oldest', 'newest')
for i = 1, 6 do
    kept[i] = tonumber(kept[i] or 0)
end
local latest, total, first, next_one, oldest, newest = unpack(kept)
if latest > now + 2000000 then
    -- The clock was ahead then: what was counted is taken to be of the present, and so ends in time.
    call('DEL', key)
    first, next_one, oldest, newest, latest = 0, 1, 0, newest - oldest, now
    call('HSET', key, 's0', whole(math.floor(now / 1000000)), 'c0', whole(total), 'first', 0,
        'next', 1, 'oldest', 0, 'newest', whole(newest), 'total', whole(total),
        'latest', whole(now))
    for n = 0, newest - 1 do
        call('HSET', key, 'b' .. whole(n), whole(now))
    end
    call('EXPIRE', key, 902)
end
now = math.max(now, latest)
local second = math.floor(now / 1000000)
local function at(letter, n)
    return tonumber(call('HGET', key, letter .. whole(n)))
end

local first_left, oldest_left = first, oldest
while first < next_one and at('s', first) + 901 <= second do
    total = total - at('c', first)
    first = first + 1
end
while oldest < newest and at('b', oldest) + 1000000 <= now do
    oldest = oldest + 1
end

local is_let_in = is_counted and total < most and newest - oldest < most_burst
if is_let_in then
    for n = first_left, first - 1 do
        call('HDEL', key, 's' .. whole(n), 'c' .. whole(n))
    end
    for n = oldest_left, oldest - 1 do
        call('HDEL', key, 'b' .. whole(n))
    end
    if first < next_one and at('s', next_one - 1) == second then
        call('HINCRBY', key, 'c' .. whole(next_one - 1), 1)
    else
        call('HSET', key, 's' .. whole(next_one), whole(second), 'c' .. whole(next_one), 1)
        next_one = next_one + 1
        if kind then
            call('ZADD', kind, whole(ends), key)
            call('EXPIRE', kind, 902)
        end
    end
    total = total + 1
    call('HSET', key, 'b' .. whole(newest), whole(now), 'latest', whole(now), 'total', whole(total),
        'first', whole(first), 'next', whole(next_one), 'oldest', whole(oldest),
        'newest', whole(newest + 1))
    call('EXPIRE', key, 902)
end
local full_s = second
if first < next_one then
    full_s = at('s', next_one - 1) + 901
end
local ready = 0
if is_counted and not is_let_in then
    -- When enough seconds have left for one more; more than one where the plan became smaller.
    local untold, n = total, first
    while untold >= most and n < next_one do
        untold = untold - at('c', n)
        ready = (at('s', n) + 901) * 1000000
        n = n + 1
    end
    -- When enough of the last second's requests are a second old for one more.
    if newest - oldest >= most_burst then
        ready = math.max(ready, at('b', newest - most_burst) + 1000000)
    end
end
return { is_let_in and 1 or 0, total, full_s, ready, now }
