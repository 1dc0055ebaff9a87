#pragma D option quiet

/* A script may have a timer for each purpose, and for many of them. */
tick-100s, tick-101s, tick-102s, tick-103s, tick-104s, tick-105s, tick-106s, tick-107s,
tick-108s, tick-109s, tick-110s, tick-111s, tick-112s, tick-113s,
tick-114s, tick-115s, tick-116s, tick-117s, tick-118s, tick-119s,
tick-120s, tick-121s, tick-122s, tick-123s, tick-124s, tick-125s,
tick-126s, tick-127s, tick-128s, tick-129s, tick-130s, tick-131s,
tick-132s, tick-133s, tick-134s, tick-135s, tick-136s, tick-137s,
tick-138s, tick-139s, tick-140s, tick-141s, tick-142s, tick-143s,
tick-144s, tick-145s, tick-146s, tick-147s, tick-148s, tick-149s,
tick-150s, tick-151s, tick-152s, tick-153s, tick-154s, tick-155s,
tick-156s, tick-157s, tick-158s, tick-159s, tick-160s, tick-161s,
tick-162s, tick-163s, tick-164s, tick-165s, tick-166s, tick-167s,
tick-168s, tick-169s
{
	trace("late");
}

tick-1ms
{
	printf("%s\n", probename);
	exit(0);
}
