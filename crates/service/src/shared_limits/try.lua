-- Counts a try to sign in and returns 0, or returns how long to wait, in microseconds.
-- KEYS: all counts by when they end, and by how much they count; the address, and the account where
-- there is one.
-- ARGV: most of an address in its minute, that minute, tries of an account that are free, longest
-- wait, how long an account is remembered, the present or ''. All times in microseconds.
local call = redis.call
local most, minute, free = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local wait_max, forget = tonumber(ARGV[4]), tonumber(ARGV[5])
local given = tonumber(ARGV[6])
local by_end, by_count, address, account = unpack(KEYS)
if not given then
    local time = call('TIME')
    given = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local function whole(number)
    return string.format('%.0f', number)
end
-- Returns a count, one that is over as a new one, and one of a time to come as one of now, since the
-- clock was ahead then; since when it counts; and the present.
local function hold(key, over)
    local kept = call('HMGET', key, 'tried', 'since')
    local tried, since = tonumber(kept[1] or 0), tonumber(kept[2] or 0)
    if since > given + 2000000 then
        since = given
        call('HSET', key, 'since', whole(since))
    end
    local now = math.max(given, since)
    if now - since >= over then
        return 0, now, now
    end
    return tried, since, now
end
local function keep(key, tried, since, over)
    call('HSET', key, 'tried', tried, 'since', whole(since))
    call('PEXPIRE', key, math.ceil(over / 1000) + 1000)
    call('ZADD', by_end, whole(since + over), key)
    call('ZADD', by_count, tried, key)
end

local tried, since, now = hold(address, minute)
if tried >= most then
    return since + minute - now
end
keep(address, tried + 1, since, minute)
if not account then
    return 0
end
tried, since, now = hold(account, forget)
local wait = 0
if tried >= free then
    wait = math.min(wait_max, 1000000 * 2 ^ math.min(tried - free + 1, 30))
end
wait = since + wait - now
if wait > 0 then
    return wait
end
keep(account, tried + 1, now, forget)
return 0
